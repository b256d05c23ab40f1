// Code that most applications load late or never, and then in the middle of a function, where an `import()` would come too late: the
// scrubber, heartbeats and versions, what mistakes need, what few applications use, Node's servers for `fetch`, the factories of checks, the features, what makes log lines or adopts loggers, the drain of `lifesign/auto`. In the sources, one file of each folder has it at once (`load.ts`). The build puts
// another in its place: for Node, one that loads the room when it is called; for bundlers and other runtimes, one that has it at once.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const src = join(import.meta.dirname, '../src');
const scrubber = ['clean', 'cleanOf', 'describe', 'describePublicly', 'errorCopy', 'keepData', 'textOf'];

/**
 * The file that loads a room, its function, the room in dist, and the import of package.json that has the function. There are two of
 * them, since each takes Node a millisecond: the rooms that the core loads, and those of the code around it, which import the core.
 * Bundlers and other runtimes run a room of the core before the core: its top level may call functions of the core, and use no class
 * and no constant of it. test/package/rooms.test.ts fails if it does.
 */
const rooms = [
  { from: 'core-rooms', loader: 'core/scrub/load.ts', load: 'loadScrubber' },
  { from: 'core-rooms', load: 'loadMistakes', room: 'core/options/mistakes' },
  { from: 'core-rooms', load: 'loadUncommon', room: 'core/uncommon' },
  { from: 'rooms', loader: 'checks/load.ts', load: 'loadChecks', room: 'checks/room' },
  { from: 'rooms', loader: 'logging/load.ts', load: 'loadAdopt', room: 'logging/adopt' },
  { from: 'rooms', loader: 'logging/stdout/load.ts', load: 'loadLines', room: 'logging/stdout/lines' },
  { from: 'rooms', loader: 'http/fetch/load.ts', load: 'loadExchange', room: 'http/fetch/exchange' },
  { from: 'rooms', loader: 'profiles/load.ts', load: 'loadFeatures', room: 'profiles/features-room' },
];
/** Of what is CommonJS in both forms of the package. */
const commonjsRooms = [{ loader: 'auto/load.ts', load: 'loadDrain', room: 'http/drain/first' }];

/** The rooms that are in each form of the package; the scrubber is there once, as CommonJS. */
export const roomFiles = rooms.flatMap(({ room }) => room ?? []);
export const commonjsRoomFiles = commonjsRooms.map(({ room }) => room);

/** The names of the factories of checks, without the types beside them. */
export const factories = Array.from(
  readFileSync(join(src, 'checks/factories.ts'), 'utf8').matchAll(/^export \{ (.+) \} from/gm),
  ([, names]) => names.split(', '),
)
  .flat()
  .filter((name) => !name.startsWith('type '));

/** Functions that load a room when they are called. */
const calling = (load, names) =>
  names.map((name) => `export const ${name} = (...given) => ${load}().${name}(...given);`).join('\n');

/** No file: its code is made here. */
const onDemandFactories = join(src, 'checks/on-demand.ts');

/** A plugin of the bundler: everything but their room takes factories of checks that load it. */
export const factoriesOnDemand = {
  name: 'factories-on-demand',
  resolveId: (source, importer) =>
    source === './factories.js' && importer === join(src, 'checks/index.ts') ? onDemandFactories : undefined,
  load: (id) => {
    if (id !== onDemandFactories) return undefined;
    return `import { loadChecks } from './load.js';\n${calling('loadChecks', factories)}`;
  },
};

const errors = Array.from(
  readFileSync(join(src, 'core/options/errors.ts'), 'utf8').matchAll(/^export const (\w+)/gm),
  ([, name]) => name,
);
/** By the room that they load: files, by their places in src, and their functions. The room itself has them at once. */
const functions = {
  loadMistakes: {
    'core/options/errors': [...errors, 'nearest', 'shown'],
    'core/options/variables': ['misspeltVariables'],
  },
  loadUncommon: {
    'core/decorators': ['registerCheck', 'registerVersion'],
    'core/heartbeat/cache': ['cacheOf'],
    'core/heartbeat/check-rules': ['areCheckOptions', 'requireCheckOptions'],
    'core/options/declared': ['declared'],
    'core/options/groups': ['areGroups'],
  },
};
/** The functions of a file that load their room, and its loader. */
const onDemandAt = new Map(
  Object.entries(functions).flatMap(([load, files]) =>
    Object.entries(files).map(([place, names]) => [place, { load, names }]),
  ),
);
const placeOf = (file) => file.slice(src.length + 1).replace(/\.[jt]s$/, '');
const onDemandOf = (place) => `${join(src, place)}-on-demand.ts`;

/** A plugin of the bundler: everything but their rooms takes functions that load them when they are called. */
export const functionsOnDemand = (format, standIn) => ({
  name: 'functions-on-demand',
  resolveId: (source, importer = '') => {
    const place = placeOf(join(dirname(importer), source));
    return onDemandAt.has(place) && !roomFiles.includes(placeOf(importer)) ? onDemandOf(place) : undefined;
  },
  load: (id) => {
    const [place, { load, names } = {}] = [...onDemandAt].find(([each]) => id === onDemandOf(each)) ?? [];
    if (place === undefined) return undefined;
    const { room } = rooms.find((each) => each.load === load);
    const own =
      place === 'core/options/errors' ? "export { LifesignError } from './lifesign-error.js';\n" : '';
    const loader =
      format === 'esm'
        ? `import { ${load} } from '#core-rooms';`
        : `const ${load} = () => require('${standIn(`cjs/${room}.js`)}');`;
    return `${own}${loader}\n${calling(load, names)}`;
  },
});

const scrubberAtOnce = `import { ${scrubber.join(', ')} } from './scrubber.cjs';
const scrubber = { ${scrubber.join(', ')} };
export const loadScrubber = () => scrubber;
`;

/** What takes the place of a file that loads a room; undefined for any other. `standIn` is the path of a file in dist, by its name. */
export function loaderOf(format, id, standIn) {
  const found = [...rooms, ...commonjsRooms].find(
    ({ loader }) => loader !== undefined && id === join(src, loader),
  );
  if (found === undefined || format === 'edge') return undefined;
  const { from, load, room } = found;
  if (format === 'esm') return `export { ${load} } from '#${from}';`;
  const file = standIn(room === undefined ? 'shared/scrubber.cjs' : `cjs/${room}.js`);
  return `export const ${load} = () => require('${file}');`;
}

const paths = [...roomFiles.map((room) => `../${room}.js`), './scrubber.cjs'];

const onDemand = `let loadFile;
const load = (path) => {
  loadFile ??= process.getBuiltinModule('node:module').createRequire(import.meta.url);
  return loadFile(path);
};
// A Node that cannot require an ES module has the same as CommonJS; all copies share their state.
const room = (path) => {
  try {
    return load(\`../\${path}.js\`);
  } catch {
    return load(\`../cjs/\${path}.js\`);
  }
};
${rooms
  .filter(({ room }) => room !== undefined)
  .map(({ load, room }) => `let ${load}ed;\nexport const ${load} = () => (${load}ed ??= room('${room}'));`)
  .join('\n')}
let scrubber;
// Without it, texts are hidden whole until it is there. The code of an error such as EMFILE says why.
const hide = (...given) => {
  try {
    return given.map((value) => value?.code).find((code) => /^(?:E[A-Z]{3,20}|MODULE_NOT_FOUND)$/.test(code)) ?? '***';
  } catch {
    return '***';
  }
};
const hideAll = Object.fromEntries(['${scrubber.join("', '")}'].map((name) => [name, hide]));
export function loadScrubber() {
  if (scrubber === undefined) {
    try {
      scrubber = load('./scrubber.cjs');
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
// Never called. Tools that copy what a service needs find the files here.
export const files = () => [${paths.map((path) => `import('${path}')`).join(', ')}];
`;

/** Writes what package.json names: one file for Node, and for others one that has the rooms at once. */
export function writeLoaders(directory) {
  writeFileSync(join(directory, 'on-demand.js'), onDemand);
  for (const name of new Set(rooms.map(({ from }) => from))) {
    const codes = rooms.filter(({ from }) => from === name).map(atOnce);
    // The first line is for tools that copy what a service needs: Node will load that file.
    writeFileSync(join(directory, `${name}.js`), `import './on-demand.js';\n${codes.join('')}`);
  }
}

function atOnce({ load, room }, index) {
  return room === undefined
    ? scrubberAtOnce
    : `import * as room${index} from '../${room}.js';\nexport const ${load} = () => room${index};\n`;
}
