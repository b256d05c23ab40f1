// HEALTH_DRAIN=true: requests end first, then those who handle the signal have their turn.
import { expect, test } from 'vitest';
import { until } from '../core/waiting.js';
import { chosen } from '../whole.js';
import { directoryWith, start } from './start.js';

/** A service whose answers take a while, with what an application does at a signal. */
const service = (handlers: string, before = '') => `
import { createServer } from 'node:http';
${before}
const server = createServer((req, res) => {
  if (req.url !== '/slow') return res.end();
  console.error('slow');
  setTimeout(() => res.end('whole'), 700);
});
${handlers}
server.listen(process.env.LISTEN ?? process.env.PORT, () => console.error('ready'));`;

async function drained(text: string, options = '--import lifesign/auto', signal: NodeJS.Signals = 'SIGTERM') {
  const cwd = directoryWith({ 'app.mjs': text });
  const env = { HEALTH_DRAIN: 'true', HEALTH_DRAIN_DELAY: '300ms', HEALTH_DRAIN_SHUTDOWN_TIMEOUT: '2000ms' };
  const app = await start(['app.mjs'], { cwd, env, options });
  const slow = fetch(`${app.origin}/slow`).then((answer) => answer.text());
  await until(() => app.stderr().includes('slow'));
  app.child.kill(signal);
  // During the delay it answers, and says that it leaves.
  await until(() => app.lines().some(({ Fields }) => String(Fields['msg']).startsWith('Draining')));
  const leaving = await fetch(`${app.origin}/__lbheartbeat__`);
  expect([leaving.status, leaving.headers.get('connection')]).toEqual([200, 'close']);
  expect(await slow).toBe('whole');
  const exited = await app.exited;
  const told = app
    .stderr()
    .split('\n')
    .filter((line) => !['ready', 'slow', ''].includes(line));
  return { ...exited, told, app };
}

/** Who ends the process, what they have the application do, how it ends, and what it tells. */
const endings = [
  ['nobody: by the signal, as Node alone', '', 'SIGTERM', []],
  ['a handler that exits at once', `process.on('SIGTERM', () => process.exit(5));`, 5, []],
  ['one that is called once', `process.once('SIGTERM', () => process.exit(6));`, 6, []],
  [
    'a handler that closes the server and tells errors',
    `process.on('SIGTERM', () => server.close((error) => { console.error(error ? 'ERR' : 'closed'); process.exit(0); }));`,
    0,
    ['closed'],
  ],
  [
    'one that waits for the event',
    `process.on('SIGTERM', () => { server.close(); server.on('close', () => process.exit(4)); });`,
    4,
    [],
  ],
  ['one that lets the process end by itself', `process.once('SIGTERM', () => server.close());`, 0, []],
  ['one that never ends it', `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`, 'SIGTERM', []],
] as const;
const typical = endings
  .map(([name]) => name)
  .filter((name) => /^(?:nobody|a handler|one that never)/.test(name));

test.each(chosen(endings, ...typical))('%s', async (_name, handlers, expected, told) => {
  const outcome = await drained(service(handlers));
  expect([outcome.code ?? outcome.signal, outcome.told]).toEqual([expected, told]);
});

test('the same with --require lifesign/auto', async () => {
  const outcome = await drained(service(endings[1][1]), '--require lifesign/auto');
  expect(outcome.code).toBe(endings[1][2]);
});

test('handlers of SIGINT, with which PM2 stops a process', async () => {
  const { code } = await drained(
    service(`process.on('SIGINT', () => process.exit(9));`),
    undefined,
    'SIGINT',
  );
  expect(code).toBe(9);
});

test('whoever raises the signal again when nobody else listens', async () => {
  const handler = `const raise = () => { if (process.listenerCount('SIGTERM') === 1) { process.off('SIGTERM', raise); process.kill(process.pid, 'SIGTERM'); } }; process.on('SIGTERM', raise);`;
  const { signal } = await drained(service(handler));
  expect(signal).toBe('SIGTERM');
});

test('two servers: the process ends when both are drained', async () => {
  const second = `const other = createServer((_req, res) => { console.error('asked'); setTimeout(() => res.end('whole'), 1500); });
    other.listen(0, () => console.error('other on ' + other.address().port + '.'));`;
  const cwd = directoryWith({ 'app.mjs': service(second) });
  const env = { HEALTH_DRAIN: 'true', HEALTH_DRAIN_DELAY: '100ms', PORT: '', LISTEN: '0' };
  const app = await start(['app.mjs'], { cwd, env, listens: false });
  await until(() => /ready[^]*\.|\.[^]*ready/.test(app.stderr()));
  const [, port] = /other on (\d+)\./.exec(app.stderr()) ?? [];
  const answer = fetch(`http://127.0.0.1:${port}/`).then((response) => response.text());
  await until(() => app.stderr().includes('asked'));
  app.child.kill('SIGTERM');
  expect(await answer).toBe('whole');
  expect((await app.exited).signal).toBe('SIGTERM');
});

test('a second signal ends it at once', async () => {
  const cwd = directoryWith({ 'app.mjs': service('') });
  const app = await start(['app.mjs'], { cwd, env: { HEALTH_DRAIN: 'true', HEALTH_DRAIN_DELAY: '60000ms' } });
  await until(() => app.stderr().includes('ready'));
  app.child.kill('SIGTERM');
  await until(() => app.lines().length > 0);
  app.child.kill('SIGTERM');
  expect(await app.exited).toEqual({ code: null, signal: 'SIGTERM' });
});

test('a server that is closed leaves signals as they were', async () => {
  const handlers = `setTimeout(() => server.close(() => { console.error('closed'); setInterval(() => {}, 1000); }), 300);`;
  const cwd = directoryWith({ 'app.mjs': service(handlers) });
  const app = await start(['app.mjs'], { cwd, env: { HEALTH_DRAIN: 'true', HEALTH_DRAIN_DELAY: '60000ms' } });
  await until(() => app.stderr().includes('closed'));
  app.child.kill('SIGTERM');
  expect(await app.exited).toEqual({ code: null, signal: 'SIGTERM' });
});

test("without HEALTH_DRAIN a signal is the application's", async () => {
  const cwd = directoryWith({ 'app.mjs': service(`process.on('SIGTERM', () => process.exit(5));`) });
  const app = await start(['app.mjs'], { cwd });
  await until(() => app.stderr().includes('ready'));
  app.child.kill('SIGTERM');
  expect(await app.exited).toEqual({ code: 5, signal: null });
});

test.each([
  ['{ delay: 0 }', 'false', true],
  ['true', '', true],
  ['false', 'true', false],
])('drain: %s in the configuration decides, whatever HEALTH_DRAIN says', async (drain, variable, drains) => {
  const config = `export default { drain: ${drain} };`;
  const cwd = directoryWith({ 'app.mjs': service(''), 'health.mjs': config });
  const env = { HEALTH_CONFIG: 'health.mjs', HEALTH_DRAIN: variable, HEALTH_DRAIN_DELAY: '0' };
  const app = await start(['app.mjs'], { cwd, env, options: '--import lifesign/auto' });
  // Once the configuration is read.
  expect((await fetch(`${app.origin}/__lbheartbeat__`)).status).toBe(200);
  app.child.kill('SIGTERM');
  expect(await app.exited).toMatchObject({ signal: 'SIGTERM' });
  const messages = app.lines().map(({ Fields }) => String(Fields['msg']));
  expect(messages.some((msg) => msg.startsWith('Draining (SIGTERM): the server closes in 0 ms'))).toBe(
    drains,
  );
});
