// Files that both forms of the package load: what is large and needs nothing of the rest is there once, as CommonJS.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { madeSources } from './made-sources.mjs';

const root = join(import.meta.dirname, '..');
const names = ['clean', 'cleanOf', 'describe', 'describePublicly', 'errorCopy', 'keepData', 'textOf'];

/** By the source whose place it takes: the name of the file, and what it exports. */
const shared = {
  'src/explain/messages.ts': { name: 'messages', exports: ['messageSections'] },
  'src/page/content/assets.ts': { name: 'assets', exports: ['script', 'style'] },
  'src/watchdog/thread-source.ts': { name: 'thread', exports: ['threadSource'] },
};

/** Stands for a shared file in code of which it is not known yet where it will be. */
const standIn = (name) => `lifesign-shared-file/${name}`;

/** A plugin of the bundler. ES modules import `#scrubber`, for which package.json names a file for each kind of runtime. */
export const sharedFiles = (format) => ({
  name: 'shared-files',
  load: (id) => {
    const [, file] = Object.entries(shared).find(([place]) => id === join(root, place)) ?? [];
    if (file !== undefined) return `export { ${file.exports.join(', ')} } from '${standIn(file.name)}';`;
    if (id !== join(root, 'src/core/scrub/load.ts')) return undefined;
    return format === 'esm'
      ? "export { loadScrubber } from '#scrubber';"
      : `export const loadScrubber = () => require('${standIn('scrubber')}');`;
  },
});

/** The code of a file with the paths to the shared ones. */
export function withSharedPaths(code, dist, file) {
  return code.replace(/(?<=["'`])lifesign-shared-file\/(\w+)(?=["'`])/g, (_all, name) =>
    relative(dirname(file), join(dist, `shared/${name}.cjs`)).replaceAll('\\', '/'),
  );
}

/** For bundlers, which take the scrubber with the rest, and for runtimes without a `require`. */
const scrubberAtOnce = `import { ${names.join(', ')} } from './scrubber.cjs';
const scrubber = { ${names.join(', ')} };
export const loadScrubber = () => scrubber;
`;

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
  writeFileSync(join(directory, 'scrubber-at-once.js'), scrubberAtOnce);
  writeFileSync(join(directory, 'scrubber-on-demand.js'), scrubberOnDemand);
  const places = { scrubber: 'src/core/scrub/scrubber.ts' };
  for (const [place, { name }] of Object.entries(shared)) places[name] = place;
  for (const [name, place] of Object.entries(places)) {
    write(join(directory, `${name}.cjs`), await commonjsOf(place));
  }
}

async function commonjsOf(place) {
  const built = await rolldown({
    cwd: root,
    input: place,
    platform: 'neutral',
    resolve: { extensionAlias: { '.js': ['.ts'] } },
    transform: { target: 'es2022' },
    plugins: [madeSources],
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
