import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { type DrainOptions, drainOnSignals } from 'lifesign/drain';
import { makeHealth } from '../../core/make-health.js';
import { turn } from '../../core/waiting.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const onlyEndless = 'Only endless responses are left: handlers and hooks of the application run now';

/** Drains a server whose handler begins a response and leaves it open; `onShutdown` ends all of them. */
async function drainWith(begin: (res: ServerResponse) => void, options: DrainOptions, requests = 1) {
  const { health, records } = makeHealth({ summary: false });
  const open: ServerResponse[] = [];
  const server = createServer((_req, res) => {
    begin(res);
    res.write('x');
    open.push(res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = () => open.forEach((each) => each.end());
  const drain = drainOnSignals(health, { server, delay: 0, exit: () => {}, onShutdown: [end], ...options });
  ends.push(() => drain.stop());
  const { port } = server.address() as AddressInfo;
  for (let asked = 0; asked < requests; asked += 1) {
    const [stream] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [
      IncomingMessage,
    ];
    stream.on('error', () => {}).resume();
  }
  const since = performance.now();
  const code = await drain.start();
  return { code, took: performance.now() - since, messages: records.map(({ msg }) => msg) };
}

const heads: readonly ((res: ServerResponse, headers: Record<string, string>) => unknown)[] = [
  (res, headers) => res.setHeaders(new Map(Object.entries(headers))),
  (res, headers) => res.writeHead(200, headers),
  (res, headers) => res.writeHead(200, Object.entries(headers).flat()),
];

test('event streams are endless at once, however their head is written', async () => {
  const types = [
    'text/event-stream',
    'text/event-stream; charset=utf-8',
    'multipart/x-mixed-replace; boundary=x',
  ];
  const cases = heads.flatMap((head) => types.map((type) => ({ head, type })));
  let at = 0;
  const { code, took, messages } = await drainWith(
    (res) => {
      const { head, type } = cases[at++] ?? {};
      head?.(res, {
        [at % 2 === 0 ? 'Content-Type' : 'CONTENT-TYPE']: String(type),
        'X-Other': 'content-length: 5',
      });
    },
    { timeout: 600_000 },
    cases.length,
  );
  expect([code, messages.includes(onlyEndless)]).toEqual([0, true]);
  expect(took).toBeLessThan(2000);
});

test('other responses of unknown length are endless after 2 s, those of a known length never', async () => {
  const [unknown, known] = await Promise.all([
    drainWith((res) => res.writeHead(200, { 'Content-Type': 'video/mp4' }), { timeout: 600_000 }),
    drainWith((res) => res.writeHead(200, { 'Content-Type': 'video/mp4', 'Content-Length': '10' }), {
      timeout: 2500,
    }),
  ]);
  expect([unknown.code, unknown.messages.includes(onlyEndless)]).toEqual([0, true]);
  expect(unknown.took).toBeGreaterThanOrEqual(2000);
  expect([known.code, known.messages.includes(onlyEndless)]).toEqual([1, false]);
});

test('a drain takes 9 s unless a time is set, and leaves some time for each step after a long delay', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  ends.push(() => vi.useRealTimers());
  const hang = () => new Promise(() => {});
  const limitsAfter = async (delay: number) => {
    const begin = (res: ServerResponse) => void res.writeHead(200, { 'Content-Length': '10' });
    const drained = drainWith(begin, { delay, onShutdown: [hang] });
    const state = { over: false };
    void drained.finally(() => (state.over = true));
    for (; !state.over; await turn()) vi.advanceTimersByTime(10);
    const text = (await drained).messages.join('\n');
    // Some of the time is gone when a step begins.
    return [/longer than (\d+) ms/, /hang did not finish within (\d+) ms/].map(
      (limit) => Math.ceil(Number(limit.exec(text)?.[1]) / 500) * 500,
    );
  };
  expect(await limitsAfter(0)).toEqual([8000, 1000]);
  expect(await limitsAfter(2000)).toEqual([6000, 1000]);
  expect(await limitsAfter(12_000)).toEqual([3000, 1000]);
});
