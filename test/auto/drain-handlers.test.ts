// Handlers of the application end the process as they do without lifesign, and can end what only they can end.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { until } from '../core/waiting.js';
import { directoryWith, start } from './start.js';

/** How an application shuts down. */
interface Shutdown {
  readonly add: 'on' | 'once' | 'addListener' | 'prependListener' | 'prependOnceListener';
  readonly closes: boolean;
  readonly waits: number | undefined;
  readonly ends: 'exit' | 'raise' | 'return' | 'throw' | 'count';
  readonly trigger: 'kill' | 'emit';
  /** A listener of a library that only cleans up. */
  readonly beside: boolean;
}

const application = `
import { createServer } from 'node:http';
const spec = JSON.parse(process.env.SPEC);
const server = createServer((req, res) => res.end('ok'));
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
let count = 0;
// A drained server no longer keeps the process alive until its own signal arrives.
if (spec.ends === 'count') setInterval(() => {}, 1000);
async function shutdown(signal) {
  console.error('handler ' + signal);
  if (spec.ends === 'count' && ++count === 1) return void setTimeout(() => process.kill(process.pid, 'SIGTERM'), 20);
  if (spec.ends === 'throw' && spec.waits === undefined) throw new Error('mine');
  if (spec.closes) await new Promise((done) => server.close(done));
  if (spec.waits !== undefined) await wait(spec.waits);
  if (spec.ends === 'exit' || spec.ends === 'count') process.exit(7);
  if (spec.ends === 'throw') throw new Error('mine');
  if (spec.ends === 'raise') { process.removeListener('SIGTERM', listener); process.kill(process.pid, 'SIGTERM'); }
  if (!spec.closes) server.close();
}
const listener = spec.ends === 'throw' && spec.waits === undefined
  ? (signal) => { console.error('handler ' + signal); throw new Error('mine'); }
  : shutdown;
process[spec.add]('SIGTERM', listener);
if (spec.beside) process.once('SIGTERM', () => console.error('clean'));
process.on('uncaughtExceptionMonitor', (error, origin) => console.error(origin + ' ' + error.message));
server.listen(process.env.PORT, '127.0.0.1', () => {
  console.error('ready');
  if (spec.trigger === 'emit') setTimeout(() => process.emit('SIGTERM', 'SIGTERM'), 50);
});`;

const ways = {
  alone: { options: '' },
  auto: {},
  drained: { env: { HEALTH_DRAIN: 'true', HEALTH_DRAIN_DELAY: '30ms' } },
};

async function outcome(spec: Shutdown, way: keyof typeof ways) {
  const cwd = directoryWith({ 'app.mjs': application });
  const { env = {}, ...started }: { env?: Record<string, string>; options?: string } = ways[way];
  const app = await start(['app.mjs'], {
    cwd,
    ...started,
    listens: false,
    env: { ...env, SPEC: JSON.stringify(spec) },
  });
  await until(() => app.stderr().includes('ready'));
  if (spec.trigger === 'kill') app.child.kill('SIGTERM');
  const said = await app.exited;
  const lines = app.stderr().split('\n');
  return { ...said, lines: lines.filter((line) => /^(?:handler|clean|uncaught|unhandled)/.test(line)) };
}

const shutdowns: fc.Arbitrary<Shutdown> = fc.record({
  add: fc.constantFrom('on', 'once', 'addListener', 'prependListener', 'prependOnceListener'),
  closes: fc.boolean(),
  waits: fc.constantFrom(undefined, 0, 20),
  ends: fc.constantFrom('exit', 'raise', 'return', 'throw', 'count'),
  trigger: fc.constantFrom('kill', 'kill', 'emit'),
  beside: fc.boolean(),
});

test('a process ends as without lifesign, with and without HEALTH_DRAIN', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(shutdowns, async (spec) => {
      const [alone, auto, drained] = await Promise.all([
        outcome(spec, 'alone'),
        outcome(spec, 'auto'),
        outcome(spec, 'drained'),
      ]);
      expect([auto, drained]).toEqual([alone, alone]);
    }),
    { numRuns: Number(process.env['RUNS'] ?? 12) },
  );
});

test('process.emit without a handler of the application does nothing, as without lifesign', async () => {
  const text = `import { createServer } from 'node:http';
    createServer((_req, res) => res.end(String(process.emit('SIGTERM')))).listen(process.env.PORT);`;
  const cwd = directoryWith({ 'app.mjs': text });
  const app = await start(['app.mjs'], { cwd, env: { HEALTH_DRAIN: 'true', HEALTH_DRAIN_DELAY: '0' } });
  expect(await (await fetch(app.origin)).text()).toBe('false');
  expect(await (await fetch(app.origin)).text()).toBe('false');
});

describe('what only the application can end', () => {
  const service = (ending: string) => `
    import { createServer } from 'node:http';
    const open = new Set();
    const server = createServer((req, res) => {
      if (req.url === '/slow') return void setTimeout(() => res.end('whole'), 500);
      if (req.url === '/events') res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: 1\\n\\n');
      open.add(res);
      req.on('close', () => open.delete(res));
    });
    server.on('upgrade', (req, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: own\\r\\n\\r\\n');
      open.add(socket);
    });
    process.on('SIGTERM', () => { console.error('handler'); ${ending} });
    server.listen(process.env.PORT);`;
  const endsAll = `for (const each of open) each.end('the last event'); server.close(() => process.exit(0)); server.closeIdleConnections();`;
  /** Longer than the test may take: it fails if the handlers have to wait for it. */
  const env = { HEALTH_DRAIN: 'true', HEALTH_DRAIN_DELAY: '200ms', HEALTH_DRAIN_TIMEOUT: '300000ms' };

  const ask = async (url: string): Promise<IncomingMessage> => {
    const [response] = await once(get(url, { agent: false }), 'response');
    return response;
  };
  const textOf = async (stream: AsyncIterable<unknown>): Promise<string> => {
    let text = '';
    for await (const piece of stream) text += String(piece);
    return text;
  };

  test.each(['/events', '/endless'])('%s gets its last words, after the requests', async (path) => {
    const app = await start(['app.mjs'], { cwd: directoryWith({ 'app.mjs': service(endsAll) }), env });
    const stream = await ask(app.origin + path);
    const slow = fetch(`${app.origin}/slow`).then((answer) => answer.text());
    app.child.kill('SIGTERM');
    await until(() => app.lines().some(({ Fields }) => String(Fields['msg']).startsWith('Draining')));
    // Not before the delay is over: load balancers still send requests.
    expect((await fetch(`${app.origin}/__lbheartbeat__`)).status).toBe(200);
    expect(await textOf(stream)).toBe('data: 1\n\nthe last event');
    expect(await slow).toBe('whole');
    expect(await app.exited).toEqual({ code: 0, signal: null });
    expect(app.stdout()).toContain('Only endless responses are left');
    expect(app.stdout()).not.toMatch(/ends with|cut off/);
  });

  test('a connection of another protocol', async () => {
    const app = await start(['app.mjs'], { cwd: directoryWith({ 'app.mjs': service(endsAll) }), env });
    const socket = connect(app.port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: own\r\n\r\n');
    await once(socket, 'readable');
    app.child.kill('SIGTERM');
    expect(await textOf(socket)).toContain('the last event');
    expect(await app.exited).toEqual({ code: 0, signal: null });
  });

  test('with default times: a stream that no handler ends is cut, and the process ends, within 9 s', async () => {
    const app = await start(['app.mjs'], {
      cwd: directoryWith({ 'app.mjs': service('setInterval(() => {}, 1000);') }),
      env: { HEALTH_DRAIN: 'true' },
    });
    const stream = await ask(`${app.origin}/events`);
    stream.on('error', () => {});
    app.child.kill('SIGTERM');
    expect(await app.exited).toEqual({ code: null, signal: 'SIGTERM' });
    const times = app.lines().flatMap(({ Fields }) => /(\d+) ms/.exec(String(Fields['msg'])) ?? []);
    const limits = times.filter((each) => /^\d+$/.test(each)).map(Number);
    // The delay, what was left of 8 s, and what was left of 9 s; each is counted when it begins.
    expect(limits).toHaveLength(3);
    const [delay = 0, cut = 0, ended = 0] = limits;
    expect(delay).toBe(5000);
    expect(delay + Math.max(cut, 3000)).toBeLessThanOrEqual(8000);
    expect(ended).toBeLessThanOrEqual(1000);
  });
});
