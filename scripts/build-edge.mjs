// The build for edge workers, which bundlers take by the conditions `workerd`, `worker` and `edge-light` of package.json. It has no code
// for what such a runtime does not have: files of src/edge take the place of others. Minified, because nobody reads it: the bundle does.
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { madeSources } from './made-sources.mjs';
import { factories } from './rooms.mjs';
import { sharedFiles, withSharedPaths } from './shared-files.mjs';

const root = join(import.meta.dirname, '..');
const src = (path) => join(root, 'src', `${path}.ts`);

/** What takes the place of a file. */
const replacements = new Map(
  Object.entries({
    'checks/clients': 'clients',
    'checks/index': 'checks',
    'checks/load': 'clients',
    'checks/reasons': 'reasons',
    'core/options/features': 'feature-options',
    'core/registering': 'registering',
    'core/request/deferred': 'node',
    'core/runtime': 'runtime',
    'core/scrub/scrub': 'scrub',
    'core/version/application-root': 'version',
    'core/version/version-file': 'version',
    'frameworks/adonisjs/configure': 'adonisjs',
    'http/fetch/node': 'node',
    'http/no-health-port': 'node',
    'logging/line/summary-json': 'logging',
    'logging/stdout/stdout': 'stdout',
    'profiles/draining': 'features',
    'profiles/features': 'features',
    'profiles/newer-peer': 'node',
    'watchdog/feature': 'features',
    'watchdog/index': 'unavailable',
  }).map(([path, edge]) => [src(path), src(`edge/${edge}`)]),
);

const forEdge = {
  name: 'edge',
  resolveId(source, importer) {
    if (importer === undefined || !source.startsWith('.')) return undefined;
    return replacements.get(join(dirname(importer), source).replace(/\.js$/, '.ts'));
  },
};

/** A plugin of the bundler: the factories that src/edge/checks.ts does not export throw when they are called. */
const absentChecks = {
  name: 'absent-checks',
  transform(code, id) {
    if (id !== src('edge/checks')) return undefined;
    const absent = factories.filter((name) => !new RegExp(`\\b${name}\\b`).test(code));
    const lines = absent.map((name) => `export const ${name} = /* @__PURE__ */ absentCheck('${name}');`);
    return `import { absentCheck } from './errors.js';\n${code}\n${lines.join('\n')}`;
  },
};

/** A plugin of the bundler: code for the case that Node has a module is left out. */
const withoutNode = {
  name: 'without-node',
  transform: (code) =>
    code.replace(/\bhost\.getBuiltinModule\?\.\('[^']+'\)(\.?)/g, (_call, dot) => `undefined${dot && '?.'}`),
};

export async function buildEdge(dist, names, write) {
  const built = await rolldown({
    cwd: root,
    input: Object.fromEntries(names.map((name) => [name, src(name)])),
    external: (id) => !/^[./]/.test(id),
    platform: 'neutral',
    resolve: { extensionAlias: { '.js': ['.ts'] } },
    transform: { target: 'es2022' },
    plugins: [forEdge, absentChecks, withoutNode, sharedFiles('edge'), madeSources],
  });
  const { output } = await built.write({
    dir: join(dist, 'edge'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    // One file for all entries: the minifier sees what the functions above come to.
    codeSplitting: { groups: [{ name: 'all', test: /./ }] },
    comments: { legal: false, annotation: true, jsdoc: false },
    minify: true,
  });
  await built.close();
  for (const { fileName, code } of output) {
    const file = join(dist, 'edge', fileName);
    write(file, withSharedPaths(code, dist, file));
  }
}
