import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Hono } from 'hono';
import { afterEach, describe, expect, test } from 'vitest';
import { engineOf } from '../../../src/core/health.js';
import { Health as HonoHealth } from 'lifesign/hono';
import { until } from '../../core/waiting.js';
import { watched, type Watched } from '../watched.js';

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
    expect(text()).toContain('no heartbeat yet');
    await service.beat();
    await until(() => text().includes('The only check passes'));
    engineOf(service.health).leave(false);
    await until(() => text().includes('shutting down'));
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

  test('beyond page.connections open pages the next one is told to come back, until one is closed', async () => {
    service = await watched(['db'], { page: { connections: 3 } });
    const { origin } = service;
    const pages = [await watch(service), await watch(service), await watch(service)];
    const ask = () => fetch(`${origin}/__health__/events`);
    for (let times = 0; times < 5; times += 1) {
      const refused = await ask();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
      expect(await refused.json()).toEqual({ error: 'too many open health pages' });
    }
    expect((await fetch(`${origin}/__health__/events`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${origin}/__health__`)).status).toBe(200);
    pages[0]?.socket.destroy();
    await until(async () => {
      const again = await ask();
      await again.body?.cancel();
      return again.status === 200;
    });
  });

  test('pages asked for and left at once hold no place', async () => {
    service = await watched(['db'], { page: { connections: 3 } });
    const { port } = new URL(service.origin);
    for (let times = 0; times < 30; times += 1) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      // Pipelined: the answers behind the first are never begun.
      socket.write('GET /__health__/events HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3));
      await new Promise((resolve) => setImmediate(resolve));
      socket.resetAndDestroy();
    }
    await until(async () => {
      const again = await fetch(`${service?.origin}/__health__/events`);
      await again.body?.cancel();
      return again.status === 200;
    });
  });

  test('the events are compressed for a client that takes gzip, each event at once', async () => {
    service = await watched(['db']);
    const answer = await fetch(`${service.origin}/__health__/events`, {
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain('no heartbeat yet');
    await service.beat();
    expect((await reader?.read())?.value).toMatch(/^data: .*"edits".*The only check passes.*\n\n$/);
    await reader?.cancel();
  });

  test('the same from a fetch handler, and the end of the reader is the end of it', async () => {
    const app = new Hono();
    const health = new HonoHealth(app, { page: true, logger: { log() {} } });
    health.check('db', () => []);
    const answer = await app.fetch(new Request('http://localhost/__health__/events'));
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain('no heartbeat yet');
    await health.heartbeat();
    expect((await reader?.read())?.value).toContain('The only check passes');
    await reader?.cancel();
    const page = await app.fetch(new Request('http://localhost/__health__'));
    expect(await page.text()).toContain('The only check passes');
  });
});
