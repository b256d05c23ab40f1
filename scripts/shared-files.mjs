// Files that both forms of the package load: what is large and needs little of the rest is there once, as CommonJS. State is shared by all copies of a
// module in any case (src/core/shared.ts).
import { mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { madeSources } from './made-sources.mjs';
import { loaderOf, writeLoaders } from './rooms.mjs';

const root = join(import.meta.dirname, '..');
/** By the source whose place it takes: the name of the file, and what it exports. */
const shared = {
  'src/page/content/index.ts': { name: 'page', exports: ['openPage'] },
  'src/watchdog/thread-source.ts': { name: 'thread', exports: ['threadSource'] },
};

/** Stands for a file of dist in code of which it is not known yet where it will be. */
export const standIn = (path) => `lifesign-dist/${path}`;

/** A plugin of the bundler. */
export const sharedFiles = (format) => ({
  name: 'shared-files',
  load: (id) => {
    const [, file] = Object.entries(shared).find(([place]) => id === join(root, place)) ?? [];
    if (file !== undefined)
      return `export { ${file.exports.join(', ')} } from '${standIn(`shared/${file.name}.cjs`)}';`;
    return loaderOf(format, id, standIn);
  },
});

/** The code of a file with the paths to the shared ones. */
export function withSharedPaths(code, dist, file) {
  return code.replace(/(?<=["'`])lifesign-dist\/([\w./-]+)(?=["'`])/g, (_all, path) =>
    relative(dirname(file), join(dist, path))
      .replaceAll('\\', '/')
      .replace(/^(?!\.)/, './'),
  );
}

/** Writes them; `write` takes a file and its code. */
export async function writeSharedFiles(dist, write) {
  const directory = join(dist, 'shared');
  mkdirSync(directory, { recursive: true });
  writeLoaders(directory);
  const places = { scrubber: 'src/core/scrub/scrubber.ts' };
  for (const [place, { name }] of Object.entries(shared)) places[name] = place;
  for (const [name, place] of Object.entries(places)) {
    const file = join(directory, `${name}.cjs`);
    write(file, withSharedPaths(await commonjsOf(place), dist, file));
  }
}

async function commonjsOf(place) {
  const built = await rolldown({
    cwd: root,
    input: place,
    platform: 'neutral',
    resolve: { extensionAlias: { '.js': ['.ts'] } },
    transform: { target: 'es2022' },
    external: (id) => !/^[./]/.test(id),
    plugins: [{ name: 'rooms', load: (id) => loaderOf('cjs', id, standIn) }, madeSources],
  });
  const { output } = await built.generate({
    format: 'cjs',
    exports: 'named',
    comments: false,
    minify: false,
  });
  await built.close();
  return output[0].code;
}
