import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Hono } from 'hono';
import { afterEach, describe, expect, test } from 'vitest';
import { History } from '../../src/core/history.js';
import { Health as HonoHealth } from '../../src/frameworks/hono.js';
import { eventsOf } from '../../src/page/live.js';
import { until } from '../core/waiting.js';
import { watched, type Watched } from './watched.js';

let service: Watched | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service?.close();
  service = undefined;
});

/** An open page: the raw text it was sent so far. */
async function watch({ origin }: Watched): Promise<{ socket: Socket; text: () => string }> {
  const { port } = new URL(origin);
  const socket = connect(Number(port), '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.setEncoding('utf8').on('data', (data: string) => {
    text += data;
  });
  await once(socket, 'connect');
  socket.write('GET /__health__/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until(() => text.includes('data: '));
  return { socket, text: () => text };
}

const events = (text: string) => text.match(/^data: /gm)?.length ?? 0;

// Nothing here depends on how long it takes, and a hundred pages on a busy machine take long.
describe('Server-Sent Events', { timeout: 60_000 }, () => {
  test('the state at once, then each new one', async () => {
    service = await watched(['db']);
    const { text } = await watch(service);
    expect(text()).toMatch(/content-type: text\/event-stream/i);
    expect(text()).toMatch(/cache-control: no-store, no-transform/i);
    expect(text()).toContain('no data');
    await service.beat();
    await until(() => text().includes('The only check passes'));
    service.health.leave(false);
    await until(() => text().includes('about to leave'));
  });

  test('a hundred open pages run no check, and one heartbeat reaches them all', async () => {
    service = await watched(['db', 'disk']);
    await service.beat();
    const pages = await Promise.all(
      Array.from({ length: 100 }, async () => {
        await (await fetch(service?.page ?? '')).text();
        return watch(service as Watched);
      }),
    );
    expect(service.runs()).toBe(2);
    await service.beat();
    await until(() => pages.every(({ text }) => events(text()) === 2));
    expect(service.runs()).toBe(4);
  });

  test('a storm of heartbeats sends an event a second at most', async () => {
    service = await watched(['db']);
    const { text } = await watch(service);
    const started = performance.now();
    while (performance.now() - started < 2500) {
      await service.beat(20);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const seconds = (performance.now() - started) / 1000;
    expect(events(text())).toBeGreaterThan(1);
    expect(events(text())).toBeLessThanOrEqual(Math.ceil(seconds) + 2);
  });

  test('a server that closes is not kept by an open page', async () => {
    service = await watched(['db']);
    const { socket } = await watch(service);
    const left = once(socket, 'close');
    await service.close(false);
    await left;
    service = undefined;
  });

  test('health.close() lets open pages go, where the server cannot be seen', async () => {
    const history = new History();
    const iterator = eventsOf(history, async () => 'x')[Symbol.asyncIterator]();
    await iterator.next();
    const waiting = iterator.next();
    history.close();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test('a page that is closed leaves nothing behind', async () => {
    const history = new History();
    const listeners = new Set<unknown>();
    const subscribe = history.subscribe.bind(history);
    history.subscribe = (listener) => {
      const unsubscribe = subscribe(listener);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        unsubscribe();
      };
    };
    const iterator = eventsOf(history, async () => 'x')[Symbol.asyncIterator]();
    expect(await iterator.next()).toEqual({ done: false, value: 'data: x\n\n' });
    expect(listeners.size).toBe(1);
    const waiting = iterator.next();
    await iterator.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(listeners.size).toBe(0);
  });

  test('a reader that does not read makes no queue: it gets the latest state only', async () => {
    const history = new History();
    let made = 0;
    const iterator = eventsOf(history, async () => String((made += 1)))[Symbol.asyncIterator]();
    await iterator.next();
    for (let times = 0; times < 1000; times += 1) history.announce();
    expect(made).toBe(1);
    expect(await iterator.next()).toEqual({ done: false, value: 'data: 2\n\n' });
    await iterator.return?.();
  });

  test('the same from a fetch handler, and the end of the reader is the end of it', async () => {
    const app = new Hono();
    const health = new HonoHealth(app, { page: true, logger: { log() {} } });
    health.check('db', () => []);
    const answer = await app.fetch(new Request('http://localhost/__health__/events'));
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain('no data');
    await health.heartbeat();
    expect((await reader?.read())?.value).toContain('The only check passes');
    await reader?.cancel();
    const page = await app.fetch(new Request('http://localhost/__health__'));
    expect(await page.text()).toContain('The only check passes');
  });
});
