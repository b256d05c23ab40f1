// Builds the package lifesign-cli: node scripts/build-cli.mjs [DIRECTORY]
// It carries the parts of lifesign that it uses; its dependencies stay outside, where audits see them.
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const [dist = join(root, 'cli/dist')] = process.argv.slice(2);
const { dependencies } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8'));

rmSync(dist, { recursive: true, force: true });
const built = await rolldown({
  cwd: root,
  input: { bin: 'cli/src/bin.ts', main: 'cli/src/main.ts' },
  external: (id) => !/^[./]/.test(id),
  platform: 'node',
  resolve: { extensionAlias: { '.js': ['.ts'] } },
  transform: { target: 'es2022' },
});
const { output } = await built.write({
  dir: dist,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'parts/[name].js',
  comments: { legal: false, annotation: true, jsdoc: false },
  minify: false,
});
await built.close();
chmodSync(join(dist, 'bin.js'), 0o755);

const unknown = output
  .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
  .filter((id) => !id.startsWith('node:') && !id.startsWith('parts/') && !/^\w+\.js$/.test(id))
  .map((id) => id.replace(/^((?:@[^/]+\/)?[^/]+).*/, '$1'))
  .filter((name) => !Object.hasOwn(dependencies, name));
if (unknown.length > 0) {
  throw new Error(`cli/package.json does not depend on ${[...new Set(unknown)].join(', ')}`);
}
