// Builds the package: node scripts/build.mjs [DIRECTORY] [--no-types]
// What is exported goes into few files: loading eighty small ones takes four times as long and five times the memory.
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'no-types': { type: 'boolean' } },
});
const [dist = join(root, 'dist')] = positionals;

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [join(root, 'scripts/build-page.mjs')], { stdio: 'inherit' });
if (values['no-types'] !== true) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly', '--outDir', dist];
  execFileSync(process.execPath, args, { stdio: 'inherit' });
}

const { exports: exported } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const entries = Object.values(exported)
  .filter((file) => file.startsWith('./dist/') && file.endsWith('.js'))
  .map((file) => file.slice('./dist/'.length, -'.js'.length));
// Loaded on demand, or looking for files beside themselves: each keeps its place.
const inPlace = [
  'cli/main',
  'cli/serve/command',
  'cli/verify/command',
  'cli/version/command',
  'frameworks/adonisjs/configure',
  'page/index',
];

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries([...entries, ...inPlace].map((name) => [name, `src/${name}.ts`])),
  // The user's packages and Node's own.
  external: (id) => !/^[./]/.test(id),
  // Built-ins stay as the source names them: the core runs on workers, too.
  platform: 'neutral',
  resolve: { extensionAlias: { '.js': ['.ts'] } },
  transform: { target: 'es2022' },
});
await bundle.write({
  dir: dist,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
  // Errors name the class of a message.
  keepNames: true,
  comments: false,
  codeSplitting: {
    // What every framework entry needs is one file: each further one takes over a millisecond to load.
    groups: [
      {
        name: 'core',
        test: /src[\\/](?:(?:core|checks)[\\/]|profiles[\\/]extension|logging[\\/](?:envelope|json-log-formatter|line-writer|pino|scalar|stdout|traceback)|frameworks[\\/](?:node-|fastify-hooks|fetch-http|upgrade))/,
      },
    ],
  },
});
await bundle.close();

// One file of CommonJS: a probe starts as fast as Node does.
buildSync({
  absWorkingDir: root,
  entryPoints: ['src/cli/bin.cts'],
  outfile: join(dist, 'cli/bin.cjs'),
  bundle: true,
  external: ['./main.js'],
  format: 'cjs',
  platform: 'node',
  target: 'node20',
});
chmodSync(join(dist, 'cli/bin.cjs'), 0o755);
