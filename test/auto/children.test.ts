// Children and tools that inherit NODE_OPTIONS from a process with lifesign/auto.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { optionsWithAddress, wordsOf } from '../../src/auto/children.js';
import { chosen } from '../whole.js';
import { directoryWith, start } from './start.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

describe('the address in NODE_OPTIONS', () => {
  const addresses = { url: 'file:///a%20b/auto.js', path: '/a b/"c"\\auto.js' };
  /** As a user may write a word: bare where that is possible, or quoted. */
  const quoted = (word: string) => `"${word.replaceAll(/["\\]/g, '\\$&')}"`;
  const written = (word: string, quote: boolean) =>
    quote || word === '' || /[ "\\]/.test(word) ? quoted(word) : word;
  const spaces = fc.integer({ min: 1, max: 3 }).map((count) => ' '.repeat(count));
  const ours = fc
    .tuple(
      fc.constantFrom('--import', '--require', '-r'),
      fc.constantFrom('lifesign/auto', './node_modules/lifesign/dist/auto/index.js'),
      fc.boolean(),
    )
    .map(([flag, value, joined]) => ({
      words: joined && flag !== '-r' ? [`${flag}=${value}`] : [flag, value],
      expected: (() => {
        const address = flag === '--import' ? addresses.url : addresses.path;
        return joined && flag !== '-r' ? [`${flag}=${address}`] : [flag, address];
      })(),
    }));
  const value = fc.string({
    minLength: 1,
    unit: fc.constantFrom('a', '/', '.', ' ', '"', '\\', '=', 'é', '-'),
  });
  const others = fc
    .oneof(
      value.map((text) => [`--title=${text}`]),
      value.map((text) => ['--import', `./${text}.mjs`]),
      fc.constant(['--max-old-space-size=100']),
      fc.constant(['--import', '/app/node_modules/lifesign/dist/auto/index.js']),
      fc.constant(['--require', 'lifesign/autopilot']),
      fc.constant(['--conditions', 'lifesign/auto']),
    )
    .map((words) => ({ words, expected: words }));

  test('replaces what loads lifesign and leaves every other character', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(ours, others), { maxLength: 6 }),
        fc.boolean(),
        spaces,
        (parts, quote, gap) => {
          const words = parts.flatMap((part) => part.words);
          const expected = parts.flatMap((part) => part.expected);
          const options = words.map((word) => written(word, quote)).join(gap);
          const result = optionsWithAddress(options, addresses);
          expect(wordsOf(result).map(({ text }) => text)).toEqual(expected);
          // Piece by piece: what is not ours is written as before.
          const kept = words.map((word, index) =>
            word === expected[index] ? written(word, quote) : written(expected[index] ?? '', false),
          );
          expect(result).toBe(kept.join(gap));
          expect(optionsWithAddress(result, addresses)).toBe(result);
        },
      ),
    );
  });

  test.each(['', ' ', '"', '--import', '"--import" "lifesign/auto', '\\', 'lifesign/auto'])(
    '%j is harmless',
    (text) => {
      expect(() => optionsWithAddress(text, addresses)).not.toThrow();
    },
  );
});

/** A project whose path has what a URL and NODE_OPTIONS must encode; another directory without the package. */
function project(files: Readonly<Record<string, string>>) {
  const base = mkdtempSync(join(tmpdir(), 'lifesign-children-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [app, elsewhere] = [join(base, `a b %20 ü#?'"`), join(base, 'elsewhere')];
  const installed = join(app, 'node_modules/lifesign');
  mkdirSync(installed, { recursive: true });
  mkdirSync(elsewhere);
  for (const part of ['dist', 'package.json']) {
    cpSync(join(inject('built'), part), join(installed, part), { recursive: true });
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(elsewhere, name), text);
  return { app, elsewhere, installed };
}

const clean = { PATH: process.env['PATH'], HOME: process.env['HOME'] };

const given = ['--import lifesign/auto', '--require lifesign/auto', '"--import=lifesign/auto" --no-warnings'];
describe.each(chosen(given, '--import lifesign/auto', '--require lifesign/auto'))('%s', (options) => {
  test('a child in another directory, and a child of it', async () => {
    const { app, elsewhere } = project({
      'child.cjs': `const { execFileSync } = require('node:child_process');
        console.log(process.env.NODE_OPTIONS, process.argv[2]);
        if (process.argv[2] !== 'grandchild') console.log(String(execFileSync(process.execPath, [__filename, 'grandchild'], { cwd: '/' })).trim());`,
    });
    writeFileSync(
      join(app, 'app.cjs'),
      `const { execFileSync, fork } = require('node:child_process');
       console.log(String(execFileSync(process.execPath, ['child.cjs', 'child'], { cwd: process.argv[2] })).trim());`,
    );
    const { stdout, stderr } = await run(process.execPath, ['app.cjs', elsewhere], {
      cwd: app,
      env: { ...clean, NODE_OPTIONS: options },
    });
    expect(stderr).toBe('');
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(2);
    const [one = '', two = ''] = lines.map((line) => line.split(' ').slice(0, -1).join(' '));
    expect(two).toBe(one);
    expect(one).toContain(options.includes('import') ? '%20b%20%2520' : 'cjs/auto/index.js');
    expect(one.includes('--no-warnings')).toBe(options.includes('--no-warnings'));
  });

  test('a server there has its endpoints; HEALTH_AUTO=false turns it off and harms no child', async () => {
    const { app, elsewhere } = project({
      'server.mjs': `import { createServer } from 'node:http'; createServer((_req, res) => res.end('own')).listen(process.env.PORT, '127.0.0.1');`,
    });
    writeFileSync(
      join(app, 'app.mjs'),
      `import { spawn } from 'node:child_process'; const child = spawn(process.execPath, ['server.mjs'], { cwd: process.env.ELSEWHERE, stdio: 'inherit' });
       process.on('SIGTERM', () => child.kill('SIGKILL'));`,
    );
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
      running.child.kill('SIGTERM');
      await running.exited;
    }
  });
});

test('node --import lifesign/auto: a child that was forked into another directory', async () => {
  const { app, elsewhere } = project({ 'child.cjs': `console.log('child', process.execArgv.length);` });
  writeFileSync(
    join(app, 'app.cjs'),
    `require('node:child_process').fork('child.cjs', { cwd: process.argv[2] });`,
  );
  const args = ['--import', 'lifesign/auto', '--no-warnings', 'app.cjs', elsewhere];
  const { stdout, stderr } = await run(process.execPath, args, { cwd: app, env: clean });
  expect([stdout, stderr]).toEqual(['child 3\n', '']);
});

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
      const address = pathToFileURL(join(installed, 'dist/auto/index.js')).href;
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
