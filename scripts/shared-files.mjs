// Files that both forms of the package load: what is large and needs little of the rest is there once, as CommonJS. State is shared by all copies of a
// module in any case (src/core/shared.ts).
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { madeSources } from './made-sources.mjs';

const root = join(import.meta.dirname, '..');
const names = ['clean', 'cleanOf', 'describe', 'describePublicly', 'errorCopy', 'keepData', 'textOf'];

/** By the source whose place it takes: the name of the file, and what it exports. */
const shared = {
  'src/page/content/index.ts': { name: 'page', exports: ['openPage'] },
  'src/watchdog/thread-source.ts': { name: 'thread', exports: ['threadSource'] },
};

/** Stands for a shared file in code of which it is not known yet where it will be. */
const standIn = (name) => `lifesign-shared-file/${name}`;

const atOnce = (file) => `import { ${names.join(', ')} } from '${file}';
const scrubber = { ${names.join(', ')} };
export const loadScrubber = () => scrubber;
`;

/** What takes the place of src/core/scrub/load.ts. For ES modules, package.json names a file for bundlers and one for Node. */
const loadScrubber = {
  esm: "export { loadScrubber } from '#scrubber';",
  cjs: `export const loadScrubber = () => require('${standIn('scrubber')}');`,
  edge: atOnce(standIn('scrubber')),
};

/** A plugin of the bundler. */
export const sharedFiles = (format) => ({
  name: 'shared-files',
  load: (id) => {
    const [, file] = Object.entries(shared).find(([place]) => id === join(root, place)) ?? [];
    if (file !== undefined) return `export { ${file.exports.join(', ')} } from '${standIn(file.name)}';`;
    return scrubberIn(format, id);
  },
});

const scrubberIn = (format, id) =>
  id === join(root, 'src/core/scrub/load.ts') ? loadScrubber[format] : undefined;

/** The code of a file with the paths to the shared ones. */
export function withSharedPaths(code, dist, file) {
  return code.replace(/(?<=["'`])lifesign-shared-file\/(\w+)(?=["'`])/g, (_all, name) =>
    relative(dirname(file), join(dist, `shared/${name}.cjs`))
      .replaceAll('\\', '/')
      .replace(/^(?!\.)/, './'),
  );
}

// A failure needs it in the middle of a function: an import() would come too late. A bundle that took this file, in spite of package.json, has
// nothing beside it: texts are hidden whole until the import is there.
const scrubberOnDemand = `let scrubber;
const hideAll = Object.fromEntries(['${names.join("', '")}'].map((name) => [name, () => '***']));
export function loadScrubber() {
  if (scrubber === undefined) {
    try {
      scrubber = process.getBuiltinModule('node:module').createRequire(import.meta.url)('./scrubber.cjs');
    } catch {
      scrubber = hideAll;
      import('./scrubber.cjs').then(
        (loaded) => (scrubber = loaded.clean ? loaded : loaded.default),
        () => (scrubber = undefined),
      );
    }
  }
  return scrubber;
}
`;

/** Writes them; `write` takes a file and its code. */
export async function writeSharedFiles(dist, write) {
  const directory = join(dist, 'shared');
  mkdirSync(directory, { recursive: true });
  // For bundlers, which take the scrubber with the rest, and for runtimes without a `require`.
  writeFileSync(join(directory, 'scrubber-at-once.js'), atOnce('./scrubber.cjs'));
  writeFileSync(join(directory, 'scrubber-on-demand.js'), scrubberOnDemand);
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
    plugins: [{ name: 'scrubber', load: (id) => scrubberIn('cjs', id) }, madeSources],
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
