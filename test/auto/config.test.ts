// Options and checks of services that are started with nothing but variables and a file.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from '../core/waiting.js';
import { chosen } from '../whole.js';
import { directoryWith, start, startApplication } from './start.js';

const heartbeat = async ({ origin }: { readonly origin: string }) => {
  const answer = await fetch(`${origin}/__heartbeat__`);
  return [answer.status, await answer.json()] as const;
};
const namesOf = async (app: { readonly origin: string }) => Object.keys((await heartbeat(app))[1].checks);

describe('the configuration file', () => {
  test.each([
    ['health.js', 'module.exports = { checks: { own: () => [] } };'],
    ['health.js', 'export default { checks: { own: () => [] } };'],
    ['health.cjs', 'exports.__esModule = true; exports.default = { checks: { own: () => [] } };'],
  ])('%s: %s', async (HEALTH_CONFIG, text) => {
    for (const options of ['--import lifesign/auto', '--require lifesign/auto']) {
      const cwd = directoryWith({ [HEALTH_CONFIG]: text });
      const app = await startApplication('node', 'mjs', { cwd, options, env: { HEALTH_CONFIG } });
      expect(await namesOf(app)).toEqual(['own']);
      expect(app.stderr()).toBe('');
    }
  });

  test('a file that no variable names is not loaded: it may be a probe of the image', async () => {
    const cwd = directoryWith({ 'health.js': 'process.exit(1);' });
    const app = await startApplication('node', 'mjs', { cwd });
    expect(await namesOf(app)).toEqual([]);
  });

  test('its options hold, and variables fill in the rest', async () => {
    const cwd = directoryWith({
      'ops.mjs': `export default { failedStatusCode: 503, checks: { own: () => { throw new Error('no'); } } };`,
      'version.json': '{"version":"1"}',
    });
    const env = { HEALTH_CONFIG: 'ops.mjs', HEALTH_PUBLIC_MESSAGES: 'false' };
    const app = await startApplication('node', 'cjs', { cwd, env });
    const [status, body] = await heartbeat(app);
    expect([status, Object.keys(body.checks)]).toEqual([503, ['own']]);
    expect(JSON.stringify(body)).not.toContain('no');
    expect(await (await fetch(`${app.origin}/__version__`)).text()).toBe('{"version":"1"}');
  });

  test('a server that changes the working directory finds both files where it was started', async () => {
    const cwd = directoryWith({
      'health.js': 'export default { checks: { own: () => [] } };',
      'version.json': '{"version":"1"}',
      'app.mjs': `process.chdir('/'); await import('node:http').then(({ createServer }) => createServer().listen(process.env.PORT));`,
    });
    const app = await start(['app.mjs'], { cwd, env: { HEALTH_CONFIG: 'health.js' } });
    expect(await namesOf(app)).toEqual(['own']);
    expect(await (await fetch(`${app.origin}/__version__`)).text()).toBe('{"version":"1"}');
  });
});

/** What is wrong, the one line that says it, and the check that fails for it. */
const mistakes = [
  [
    'a syntax error',
    { 'health.mjs': 'export default {' },
    {},
    /LIFESIGN_CONFIG: health\.mjs cannot be used: SyntaxError/,
    'configuration',
  ],
  [
    'a throw',
    { 'health.cjs': 'throw new Error("postgres://a:secret@db/x is down")' },
    {},
    /LIFESIGN_CONFIG: .*is down/,
    'configuration',
  ],
  [
    'an await outside of functions',
    { 'health.mjs': 'await 1; export default {}' },
    {},
    /LIFESIGN_CONFIG: .*has an await outside of a function; pass what has to be awaited to watch\(\)/,
    'configuration',
  ],
  [
    'no object',
    { 'health.mjs': 'export default 7' },
    {},
    /LIFESIGN_CONFIG: .*must be an object/,
    'configuration',
  ],
  [
    'a check that is none',
    { 'health.mjs': 'export default { checks: { own: 7 } }' },
    {},
    /LIFESIGN_CHECK_FUNCTION: Check own: .*got 7/,
    'own',
  ],
  [
    'an unknown option',
    { 'health.mjs': 'export default { failLevl: "error" }' },
    {},
    /LIFESIGN_OPTION_UNKNOWN: .*failLevl.*Did you mean "failLevel"/,
    'configuration',
  ],
  [
    'a client that is none',
    { 'health.mjs': 'export default { db: {} }' },
    {},
    /LIFESIGN_CLIENT: Option db/,
    'check_database_connected',
  ],
  [
    'a file that is not there',
    {},
    { HEALTH_CONFIG: 'nowhere.mjs' },
    /LIFESIGN_CONFIG: nowhere\.mjs/,
    'configuration',
  ],
  [
    'a wrong port',
    {},
    { HEALTH_AUTO_PORT: 'http' },
    /LIFESIGN_OPTION_INVALID: HEALTH_AUTO_PORT is "http"/,
    undefined,
  ],
  [
    'a wrong flag',
    {},
    { HEALTH_DRAIN: 'maybe' },
    /LIFESIGN_OPTION_INVALID: HEALTH_DRAIN is "maybe"/,
    undefined,
  ],
] as const;

describe('a mistake is one line, and the service starts', () => {
  test.each(
    chosen(
      mistakes,
      'a syntax error',
      'an await outside of functions',
      'a check that is none',
      'an unknown option',
      'a wrong port',
    ),
  )('%s', async (_name, files, env, line, failing) => {
    const [HEALTH_CONFIG = ''] = Object.keys(files);
    const cwd = directoryWith(files);
    const app = await startApplication('node', 'mjs', { cwd, env: { HEALTH_CONFIG, ...env } });
    const [status, body] = await heartbeat(app);
    expect([status, body.checks]).toEqual(failing === undefined ? [200, {}] : [500, { [failing]: 'error' }]);
    if (failing !== undefined) expect(Object.keys(body.details[failing].messages)).toEqual(['health.E042']);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(app.stderr()).toMatch(/^lifesign\/auto: LIFESIGN_[^\n]*\n$/);
    expect(app.stderr()).toMatch(line);
    expect(app.stderr()).not.toContain('secret');
  });

  test('a variable of the Health itself: the service has no endpoints', async () => {
    const app = await startApplication('node', 'mjs', { env: { HEALTH_FAIL_LEVEL: 'loud' } });
    expect((await fetch(`${app.origin}/__heartbeat__`)).status).toBe(404);
    expect(app.stderr()).toMatch(
      /^lifesign\/auto: LIFESIGN_OPTION_INVALID: HEALTH_FAIL_LEVEL is "loud"[^\n]*\n$/,
    );
  });
});

describe('watch', () => {
  const fake = `{ query: async () => ({ rows: [{ ok: 1 }] }), totalCount: 0, idleCount: 0, waitingCount: 0 }`;
  const app = (how: string, before: string, after: string) => `
${how === 'mjs' ? "import { createServer } from 'node:http'; import { watch } from 'lifesign/auto';" : "const { createServer } = require('node:http'); const { watch } = require('lifesign/auto');"}
${before}
createServer((_req, res) => res.end()).listen(process.env.PORT, () => { ${after}; console.error('ready'); });`;

  test.each(['mjs', 'cjs'])(
    '.%s: hands over before and after the server listens, by either form',
    async (form) => {
      for (const options of ['--import lifesign/auto', '--require lifesign/auto']) {
        const before = `watch({ checks: { early: () => [] } });`;
        const after = `watch({ checks: { late: () => [] } })`;
        const cwd = directoryWith({ [`app.${form}`]: app(form, before, after) });
        const running = await start([`app.${form}`], { cwd, options });
        await until(() => running.stderr().includes('ready'));
        expect(await namesOf(running)).toEqual(['early', 'late']);
      }
    },
  );

  test('does nothing where lifesign/auto is not loaded', async () => {
    const before = `watch({ checks: { early: () => [] } }); watch({ db: {} });`;
    const cwd = directoryWith({ 'app.mjs': app('mjs', before, '') });
    const running = await start(['app.mjs'], { cwd, options: '' });
    await until(() => running.stderr().includes('ready'));
    expect(await (await fetch(`${running.origin}/__heartbeat__`)).text()).toBe('');
    expect([running.stdout(), running.stderr()]).toEqual(['', 'ready\n']);
  });

  test('a mistake is a line, never a throw, and the rest is watched', async () => {
    const before = `const db = ${fake}; watch({ db: 'postgres://a:secret@db/x', checks: { own: () => [], none: 7 } }); watch(undefined); watch({ database: db });`;
    const after = `watch({ checks: { own: () => [] } })`;
    const cwd = directoryWith({ 'app.mjs': app('mjs', before, after) });
    const running = await start(['app.mjs'], { cwd });
    await until(() => running.stderr().includes('ready'));
    const [status, { checks }] = await heartbeat(running);
    expect([status, checks]).toEqual([
      500,
      {
        check_database_connected: 'error',
        own: 'ok',
        none: 'error',
        watch: 'error',
        database: 'error',
        own_2: 'ok',
      },
    ]);
    const lines = running
      .stderr()
      .split('\n')
      .filter((line) => line.startsWith('lifesign/auto: '));
    expect(lines.map((line) => /LIFESIGN_\w+/.exec(line)?.[0])).toEqual([
      'LIFESIGN_CLIENT',
      'LIFESIGN_CHECK_FUNCTION',
      'LIFESIGN_OPTION_INVALID',
      'LIFESIGN_OPTION_UNKNOWN',
    ]);
    expect(running.stderr()).not.toContain('secret');
  });

  test('in a bundle, where lifesign/auto is a copy of its own', async () => {
    const { build } = await import('esbuild');
    for (const format of ['cjs', 'esm'] as const) {
      const before = `watch({ checks: { early: () => [] } });`;
      const cwd = directoryWith({ 'app.mjs': app('mjs', before, `watch({ checks: { late: () => [] } })`) });
      const outfile = join(cwd, format === 'cjs' ? 'out.cjs' : 'out.mjs');
      const logOverride = { 'empty-import-meta': 'silent' } as const;
      await build({
        entryPoints: [join(cwd, 'app.mjs')],
        bundle: true,
        platform: 'node',
        format,
        outfile,
        logOverride,
      });
      const running = await start([outfile], { cwd });
      await until(() => running.stderr().includes('ready'));
      expect(await namesOf(running)).toEqual(['early', 'late']);
      expect(running.stderr()).toBe('ready\n');
    }
  });
});
