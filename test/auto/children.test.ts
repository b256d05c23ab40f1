// Children and tools that inherit NODE_OPTIONS from a process with lifesign/auto.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { chosen } from '../whole.js';
import { directoryWith, start } from './start.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** A project whose path has what a URL and NODE_OPTIONS must encode; another directory without the package. */
function project(files: Readonly<Record<string, string>>) {
  const base = mkdtempSync(join(tmpdir(), 'lifesign-children-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [app, elsewhere] = [join(base, `a b %20 ü#?'"`), join(base, 'elsewhere')];
  const installed = join(app, 'node_modules/lifesign');
  mkdirSync(installed, { recursive: true });
  mkdirSync(elsewhere);
  for (const part of ['auto.js', 'dist', 'package.json']) {
    cpSync(join(inject('built'), part), join(installed, part), { recursive: true });
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(elsewhere, name), text);
  return { app, elsewhere, installed };
}

const clean = { PATH: process.env['PATH'], HOME: process.env['HOME'] };

test.each([
  ['--import', (path: string) => pathToFileURL(path).href],
  ['--require', (path: string) => path],
])(
  '%s and the path of auto.js: children anywhere have it, HEALTH_AUTO=false turns it off',
  async (flag, written) => {
    const { app, elsewhere, installed } = project({
      'server.mjs': `import { createServer } from 'node:http'; createServer((_req, res) => res.end('own')).listen(process.env.PORT, '127.0.0.1');`,
    });
    writeFileSync(
      join(app, 'app.mjs'),
      `import { spawn } from 'node:child_process'; const child = spawn(process.execPath, ['server.mjs'], { cwd: process.env.ELSEWHERE, stdio: 'inherit' });
     process.on('SIGTERM', () => child.kill('SIGKILL'));`,
    );
    // Quoted, as a path with spaces has to be in NODE_OPTIONS.
    const options = `${flag} "${written(join(installed, 'auto.js')).replaceAll(/["\\]/g, '\\$&')}"`;
    for (const [HEALTH_AUTO, expected] of [
      ['', '{"status":"ok"}'],
      ['false', 'own'],
    ] as const) {
      const running = await start(['app.mjs'], {
        cwd: app,
        options,
        env: { ELSEWHERE: elsewhere, HEALTH_AUTO },
      });
      expect(await (await fetch(`${running.origin}/__lbheartbeat__`)).text()).toBe(expected);
      expect(running.stderr()).toBe('');
      running.child.kill('SIGTERM');
      await running.exited;
    }
  },
);

describe('tools are not affected', () => {
  const server = `const { createServer } = require('node:http');
    const s = createServer((_req, res) => res.end('own')).listen(0, async () => {
      const answer = await fetch('http://127.0.0.1:' + s.address().port + '/__lbheartbeat__', { headers: { connection: 'close' } });
      console.log(await answer.text());
      s.close();
    });
    module.exports = s;`;
  const nodeTest = `import { test } from 'node:test'; import { createRequire } from 'node:module';
    test('serves', async () => { await new Promise((done) => createRequire(import.meta.url)('./server.cjs').once('close', done)); });`;
  /** Ports and output that would be seen if it did not stay away. */
  const asked = { HEALTH_WATCHDOG: 'true', HEALTH_DRAIN: 'true', HEALTH_PROBES: 'true' };

  const runners: readonly [string, string, readonly string[]][] = [
    ['npm', 'npm', ['--version']],
    ['npx', 'npx', ['--no-install', '--version']],
    ['tsc', process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--version']],
    [
      'esbuild',
      process.execPath,
      [
        '-p',
        `require(${JSON.stringify(join(root, 'node_modules/esbuild'))}).transformSync('let a: 1', { loader: 'ts' }).code`,
      ],
    ],
    ['node --test', process.execPath, ['--test', '--test-reporter=tap', 'own.test.mjs']],
    ['a process of Jest', 'env', ['JEST_WORKER_ID=1', process.execPath, 'server.cjs']],
    ['a process of vitest', 'env', ['VITEST=true', process.execPath, 'server.cjs']],
    ['mocha', process.execPath, ['node_modules/mocha/bin/mocha.js']],
    ['ava', process.execPath, ['node_modules/ava/entrypoints/cli.mjs']],
  ];
  test.each(chosen(runners, 'npm', 'tsc', 'node --test', 'a process of Jest', 'mocha'))(
    '%s',
    async (_name, command, args) => {
      const { installed, elsewhere } = project({ 'server.cjs': server, 'own.test.mjs': nodeTest });
      mkdirSync(join(elsewhere, 'node_modules/mocha/bin'), { recursive: true });
      writeFileSync(join(elsewhere, 'node_modules/mocha/bin/mocha.js'), server);
      mkdirSync(join(elsewhere, 'node_modules/ava/entrypoints'), { recursive: true });
      writeFileSync(join(elsewhere, 'node_modules/ava/entrypoints/cli.mjs'), `import '../../../server.cjs';`);
      const address = pathToFileURL(join(installed, 'auto.js')).href;
      const outcome = async (env: Record<string, string>) => {
        const { stdout, stderr } = await run(command, args, { cwd: elsewhere, env: { ...clean, ...env } });
        return [stdout.replaceAll(/duration_ms:? [\d.]+/g, ''), stderr];
      };
      const under = await outcome({ ...asked, NODE_OPTIONS: `--import ${address}` });
      expect(under).toEqual(await outcome({}));
    },
  );

  test('HEALTH_AUTO=true forces it in a test runner', async () => {
    const cwd = directoryWith({ 'server.cjs': server });
    const env = {
      ...clean,
      NODE_OPTIONS: '--import lifesign/auto',
      JEST_WORKER_ID: '1',
      HEALTH_AUTO: 'true',
    };
    const { stdout } = await run(process.execPath, ['server.cjs'], { cwd, env });
    expect(stdout).toContain('{"status":"ok"}\n');
  });
});
