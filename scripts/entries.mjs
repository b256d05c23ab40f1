// The public entries by their names, each with its source: what package.json exports is the only list of them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** @param {string} folder of the package, from the root of the repository */
function entriesOf(folder) {
  const { name, exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return Object.entries(exports)
    .map(([path, target]) => [path, target.import ?? target])
    .filter(([, file]) => file.startsWith('./dist/'))
    .map(([path, file]) => [
      name + path.slice(1),
      join(folder, file.replace('dist', 'src').replace(/\.js$/, '.ts')),
    ]);
}

/** `lifesign/express`: `src/frameworks/express.ts`. */
export const entries = Object.fromEntries([...entriesOf('.'), ...entriesOf('cli')]);

/** Programs of a directory with compiled sources and tests find the entries by their names there. */
export function writeDoors(directory) {
  const own = Object.entries(entries).filter(([name]) => !name.startsWith('lifesign-cli/'));
  const exports = Object.fromEntries(
    own.map(([name, file]) => [name.replace('lifesign', '.'), `./${file.replace(/\.ts$/, '.js')}`]),
  );
  writeFileSync(
    join(directory, 'package.json'),
    JSON.stringify({ name: 'lifesign', type: 'module', exports }),
  );
}
