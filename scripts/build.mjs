// Builds the package: node scripts/build.mjs [DIRECTORY] [--no-types]
// ES modules stand in DIRECTORY, the same as CommonJS in DIRECTORY/cjs: a process loads one of the two.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import { rolldown } from 'rolldown';
import { buildEdge } from './build-edge.mjs';
import { writeTypes } from './build-types.mjs';
import { madeSources } from './made-sources.mjs';
import { commonjsRoomFiles, factoriesOnDemand, functionsOnDemand, roomFiles } from './rooms.mjs';
import { sharedFiles, standIn, withSharedPaths, writeSharedFiles } from './shared-files.mjs';
import { write } from './write-code.mjs';

const root = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'no-types': { type: 'boolean' } },
});
const [dist = join(root, 'dist')] = positionals;

const { exports: exported } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** The sources of the entries in one of the two forms. */
const entriesIn = (folder, fileOf) =>
  Object.values(exported)
    .map(fileOf)
    .filter((file) => file?.startsWith(`./${folder}/`) && file.endsWith('.js'))
    .map((file) => file.slice(folder.length + 3, -'.js'.length));
const entries = entriesIn('dist', (target) => target.import ?? target);
const commonjs = entriesIn('dist/cjs', (target) => target.require);

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [join(root, 'scripts/build-page.mjs')], { stdio: 'inherit' });
mkdirSync(join(dist, 'cjs'), { recursive: true });
// What says that the files beside it are CommonJS, to Node and to TypeScript.
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs", "sideEffects": ["./auto/index.js"] }\n');
if (values['no-types'] !== true) {
  await writeTypes(root, {
    esm: { directory: dist, entries },
    commonjs: { directory: join(dist, 'cjs'), entries: commonjs },
  });
}

/** Loaded on demand, or looking for files beside themselves: each keeps its place. */
const onDemand = ['page/history', 'watchdog/index', ...roomFiles];
const inPlace = [...onDemand, 'command/main', 'frameworks/adonisjs/stubs'];

/** Heartbeats and versions: loaded with the first of them. */
const reports = [
  'core/version/outcome.ts',
  'core/version/version.ts',
  'core/version/version-file.ts',
  ...['check-log', 'groups', 'heartbeat', 'report', 'result', 'run'].map(
    (name) => `core/heartbeat/${name}.ts`,
  ),
];

/** What draining, checks and reports need of them: each may be loaded without the others. */
const clock = ['core/clock.ts', 'core/deadlines.ts', 'core/heartbeat/message-ids.ts'];

/** Loaded with the first mistake. */
const mistakes = ['errors', 'mistakes', 'nearest', 'shown', 'variables'].map(
  (name) => `core/options/${name}.ts`,
);

/** Loaded with the first use, which most applications never have. */
const uncommon = [
  'core/decorators.ts',
  'core/heartbeat/cache.ts',
  'core/heartbeat/check-rules.ts',
  'core/options/uncommon-rules.ts',
  'core/uncommon.ts',
  ...['declared', 'groups', 'metrics', 'page', 'probes', 'watchdog'].map((name) => `core/options/${name}.ts`),
];

/** Parts of the core that only code which is loaded later uses. */
const ofRooms = ['core/heap.ts', 'core/scrub/printable.ts'];

/**
 * What is put into one file, by its places in src: a folder, or a file where its neighbours are loaded by others. The first
 * group that holds a file takes it. A place that is not there ends the build, so that no rename changes what is loaded
 * unnoticed.
 */
const groups = [
  // Bundlers take files whole where a cycle with the page makes them lazy: what is wanted without the rest is apart.
  { name: 'levels', holds: ['core/heartbeat/levels.ts'] },
  // What every framework entry needs: each further file takes over a millisecond to load. Adapters of other loggers and the
  // fetch server are loaded by the entries that have them.
  {
    name: 'core',
    holds: [
      'core',
      'http/no-health-port.ts',
      'http/shadowed.ts',
      'logging/stdout/kept.ts',
      'logging/stdout/mid-line.ts',
    ],
    without: [...reports, ...clock, ...mistakes, ...uncommon, ...ofRooms],
  },
  // Before those that need it, which would take it.
  { name: 'clock', holds: clock },
  { name: 'reports', holds: reports },
  // Frameworks on Node's servers.
  {
    name: 'node',
    holds: ['http/node', 'frameworks/express-layers.ts'],
  },
  // What they need that loads rooms: bundlers take the rooms at once, and these import the core.
  {
    name: 'profile',
    holds: [
      'checks/index.ts',
      'checks/clients.ts',
      'http/fetch/load.ts',
      'profiles/draining.ts',
      'profiles/extension.ts',
      'profiles/newer-peer.ts',
      'logging/logger-option.ts',
      // It looks for its room beside this file.
      'watchdog/feature.ts',
    ],
  },
  // What rooms and frameworks need of it is little.
  { name: 'client', holds: ['checks/client.ts', 'checks/errors.ts'] },
  // What the checks of clients share: each kind of them has a file of its own, loaded when one is registered.
  { name: 'reasons', holds: ['checks/reasons.ts', 'checks/flight.ts', 'checks/pools/lending.ts'] },
];
/**
 * The same for CommonJS, which no bundler takes apart and which Node loads without looking ahead: what is small and wanted by most is in the core.
 */
const commonjsGroups = groups
  .filter(({ name }) => name !== 'levels')
  .map((group) =>
    group.name === 'core'
      ? { ...group, without: group.without.filter((place) => !ofRooms.includes(place)) }
      : group,
  );
for (const place of groups.flatMap(({ holds }) => holds)) {
  if (!existsSync(join(root, 'src', place)))
    throw new Error(`scripts/build.mjs groups src/${place}, which is not there`);
}

/** Whether a module is a place in src, or in it. */
function isIn(id, place) {
  const path = join(root, 'src', place);
  return id === path || id.startsWith(path + sep);
}

// Dockerfiles name dist/cli/bin.cjs in their HEALTHCHECK: the command stays there.
await bundle(dist, 'esm', [...entries, ...inPlace], { 'cli/main': 'src/command/main.ts' });
// Both forms of lifesign/auto load it with a require.
await bundle(join(dist, 'cjs'), 'cjs', [...commonjs, ...onDemand, ...commonjsRoomFiles, 'auto/attach']);

/** What is exported goes into few files: loading eighty small ones takes four times as long and five times the memory. */
async function bundle(dir, format, names, others = {}) {
  const built = await rolldown({
    cwd: root,
    input: { ...Object.fromEntries(names.map((name) => [name, `src/${name}.ts`])), ...others },
    // The user's packages and Node's own.
    external: (id) => !/^[./]/.test(id),
    // Built-ins stay as the source names them: the core runs on workers, too.
    platform: 'neutral',
    resolve: { extensionAlias: { '.js': ['.ts'] } },
    // A constant of another file takes an import in ES modules, and the name of that file in CommonJS.
    optimization: { inlineConst: { mode: 'all' } },
    transform: {
      target: 'es2022',
      ...(format === 'cjs' && { define: { 'import.meta.url': '__filename' } }),
    },
    plugins: [factoriesOnDemand, functionsOnDemand(format, standIn), sharedFiles(format), madeSources],
  });
  const { output } = await built.write({
    dir,
    format,
    exports: 'named',
    esModule: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    // Bundlers leave out what is marked as pure and not used.
    comments: { legal: false, annotation: true, jsdoc: false },
    // Readable: Node prints the line that threw before the error, and people look into the files.
    minify: false,
    codeSplitting: {
      groups: (format === 'cjs' ? commonjsGroups : groups).map(({ name, holds, without = [] }, index) => ({
        name,
        priority: groups.length - index,
        test: (id) => holds.some((place) => isIn(id, place)) && !without.some((place) => isIn(id, place)),
      })),
    },
  });
  await built.close();
  const runtime = output.find(({ fileName }) => fileName.endsWith('/rolldown-runtime.js'));
  for (const { fileName, code } of output) {
    const file = join(dir, fileName);
    write(file, withSharedPaths(withRuntime(format, code, runtime.code), dist, file));
  }
  if (format === 'esm') rmSync(join(dir, runtime.fileName));
}

/** The code of a file with the bundler's function in it: loading another file for it takes a millisecond. */
function withRuntime(format, code, runtime) {
  if (format === 'cjs') return commonjsWithRuntime(code, runtime);
  const [own, names] = runtime.split(/^export /m);
  if (!/^\{ __exportAll as t \};?\s*$/.test(names))
    throw new Error(`The bundler has other functions: ${names}`);
  return code.replace(/^import \{ t as __exportAll \} from "\.\/rolldown-runtime\.js";\n/m, () => own);
}

/** A file that needs other functions of the bundler loads them. */
function commonjsWithRuntime(code, runtime) {
  if (/require_rolldown_runtime\.__(?!exportAll\b)/.test(code)) return code;
  const own = runtime.match(/^var __defProp = .*;$|^var __exportAll = [^]*?^\};$/gm);
  if (own?.length !== 2) throw new Error(`The bundler has other functions: ${runtime}`);
  return code
    .replace(/^const require_rolldown_runtime = require\(.*\);$/m, () => own.join('\n'))
    .replaceAll('require_rolldown_runtime.__exportAll', '__exportAll');
}

await writeSharedFiles(dist, write);
await buildEdge(
  dist,
  entriesIn('dist/edge', (target) => target.workerd?.default),
  write,
);

// One file of CommonJS: a probe starts as fast as Node does.
buildSync({
  absWorkingDir: root,
  entryPoints: ['src/command/bin.cts'],
  outfile: join(dist, 'cli/bin.cjs'),
  bundle: true,
  external: ['./main.js'],
  format: 'cjs',
  platform: 'node',
  target: 'node20',
});
chmodSync(join(dist, 'cli/bin.cjs'), 0o755);
