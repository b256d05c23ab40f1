import { connect, createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { makeHealth } from '../make-health.js';
import { block, deferred, turn } from '../waiting.js';

const never = () => new Promise<never>(() => {});
const idOf = (beat: { results: readonly { messages: readonly { id: string }[] }[] }) =>
  beat.results[0]?.messages[0]?.id ?? 'ok';

describe('a check that hangs', () => {
  it('is E012 with the time it had, the others report', async () => {
    const { health, report } = makeHealth({ timeout: 60_000 });
    health.check('hangs', never, { timeout: 20 });
    health.check('well', () => []);
    expect(await report()).toEqual({
      status: 500,
      body: {
        status: 'error',
        checks: { hangs: 'error', well: 'ok' },
        details: {
          hangs: {
            status: 'error',
            level: 40,
            messages: { 'health.E012': 'Check hangs did not answer within 20 ms' },
          },
        },
      },
    });
  });

  it('rejects after its timeout into nothing', async () => {
    const { health } = makeHealth({ timeout: 10 });
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const late = deferred();
    health.check('late', () => late.promise);
    expect(idOf(await health.heartbeat())).toBe('health.E012');
    late.reject(new Error('too late'));
    await turn();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

it('an event loop that was blocked for longer than the timeout does not make a healthy check fail', async () => {
  const server = createServer((socket) => void socket.on('data', () => socket.end('pong')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { health } = makeHealth({ timeout: 100 });
  health.check('socket', async () => {
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write('ping');
    // Timer and answer are both waiting when the loop turns again, and timers come first.
    setImmediate(() => block(200));
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    return [];
  });
  // The second and third are blocked while the first one's lateness is still being forgiven.
  for (let round = 0; round < 3; round += 1) {
    expect((await health.heartbeat()).results[0]?.messages).toEqual([]);
  }
  server.close();
});

it('wall clock jumps change nothing: deadlines run on the monotonic clock', async () => {
  const { health } = makeHealth({ timeout: 15 });
  health.check('hangs', never);
  const real = Date.now;
  try {
    Date.now = () => real() + 86_400_000;
    const beating = health.heartbeat();
    Date.now = () => real() - 86_400_000;
    const { results } = await beating;
    expect(results[0]?.messages[0]?.id).toBe('health.E012');
    expect(results[0]?.duration).toBeLessThan(60_000);
  } finally {
    Date.now = real;
  }
});

it('one timer serves all requests, and keeps no process alive', async () => {
  const { health, ask } = makeHealth({ timeout: 60_000 });
  const gate = deferred();
  health.check('async', () => gate.promise);
  const held = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = held();
  const made = vi.spyOn(globalThis, 'setTimeout');
  const beating = Array.from({ length: 50 }, () => ask());
  expect(held()).toBe(before);
  gate.resolve();
  await Promise.all(beating);
  expect(made.mock.calls.length).toBeLessThanOrEqual(2);
  made.mockRestore();
});
