import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { getRequestListener, serve } from '@hono/node-server';
import fc from 'fast-check';
import { Hono } from 'hono';
import { afterEach, describe, expect, test } from 'vitest';
import type { LogRecord } from 'lifesign';
import { Health as FetchHealth } from 'lifesign/fetch';
import { Health } from 'lifesign/hono';
import { Health as NodeHealth } from 'lifesign/node';
import { until } from '../../core/waiting.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** A Hono application on @hono/node-server, and what it logs. */
async function start(options: ConstructorParameters<typeof Health>[1] = {}) {
  const records: LogRecord[] = [];
  const app = new Hono();
  const health = new Health(app, { logger: { log: (record) => records.push(record) }, ...options });
  app.get('/', (c) => c.text('Hello'));
  app.get('/endless', () => new Response(pieces(Infinity)));
  app.get('/breaks', () => new Response(pieces(3)));
  server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const summaries = () =>
    records.filter(({ logger }) => logger === 'request.summary').map(({ fields }) => fields);
  return { app, health, port, records, summaries };
}

/** A body that breaks off after so many pieces. */
function pieces(many: number): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      sent += 1;
      if (sent > many) controller.error(new Error('the source is gone'));
      else controller.enqueue(new TextEncoder().encode('piece\n'));
    },
  });
}

/** Sends bytes; gives what came back when the connection has closed, or at once when `enough` has come. */
function send(port: number, bytes: string, enough?: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (enough !== undefined && text.includes(enough)) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

const request = (target: string, host = 'localhost') =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

describe('fetch handlers on Node’s server', () => {
  test('a body that breaks off, and a client that leaves in the middle, are told', async () => {
    const { port, summaries } = await start();
    await send(port, request('/breaks'));
    await until(() => summaries().length === 1);
    expect(summaries()[0]).toMatchObject({ path: '/breaks', code: 200, cut: true });
    await send(port, request('/endless'), 'piece');
    await until(() => summaries().length === 2);
    expect(summaries()[1]).toMatchObject({ path: '/endless', code: 200, cut: true, errno: 0 });
    await send(port, request('/'));
    await until(() => summaries().length === 3);
    expect(summaries()[2]).not.toHaveProperty('cut');
  });

  test('whatever is sent, each request has one summary, also those that the server refuses', async () => {
    const { port, summaries } = await start();
    await send(port, request('/'));
    await until(() => summaries().length === 1);
    const target = fc.constantFrom(
      '/',
      '/nowhere',
      '/__lbheartbeat__',
      '/x/..',
      '/a\\b',
      '*',
      'http://h/',
      'HTTP://h/',
      'http://[/',
      'ftp://h/x',
      '/%',
      '//x',
    );
    const host = fc.constantFrom('localhost', 'a b', 'h:99999', '[', 'h/x', 'user@h', 'H', '%', '');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(target, host), { minLength: 1, maxLength: 4 }), async (sent) => {
        const before = summaries().length;
        const replies = await Promise.all(sent.map(([to, name]) => send(port, request(to, name))));
        expect(replies.every((reply) => /^HTTP\/1\.1 \d{3}/.test(reply))).toBe(true);
        await until(() => summaries().length >= before + sent.length);
        await new Promise((resolve) => setImmediate(resolve));
        const codes = (texts: readonly unknown[]) => texts.map(Number).toSorted();
        const logged = summaries().slice(before);
        expect(codes(logged.map(({ code }) => code))).toEqual(
          codes(replies.map((reply) => reply.slice(9, 12))),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('an application inside another that has a Health: one request, one summary', async () => {
    const inner: LogRecord[] = [];
    const outer: LogRecord[] = [];
    const app = new Hono();
    new Health(app, { logger: { log: (record) => inner.push(record) } });
    app.get('/', (c) => c.text('Hello'));
    server = createServer(getRequestListener(app.fetch));
    new NodeHealth(server, { logger: { log: (record) => outer.push(record) } });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    await send((server.address() as AddressInfo).port, request('/'));
    await until(() => outer.length === 1);
    expect(inner).toEqual([]);
  });

  test('health.respond logs what it answers, and no other request of the server', async () => {
    const records: LogRecord[] = [];
    const health = new FetchHealth(undefined, { logger: { log: (record) => records.push(record) } });
    server = createServer(
      getRequestListener((asked, env) => health.respond(asked, env) ?? new Response('Hello')),
    );
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await send(port, request('/'))).toContain('Hello');
    expect(await send(port, request('/x/../__lbheartbeat__'))).toContain('Hello');
    expect(await send(port, request('/__lbheartbeat__'))).toContain('"status":"ok"');
    await until(() => records.length > 0);
    expect(records.map(({ fields }) => fields['path'])).toEqual(['/__lbheartbeat__']);
  });

  test('an application that is mounted under a prefix is asked for the path that it gets', async () => {
    const app = new Hono();
    new Health(app, { summary: false });
    const outer = new Hono();
    outer.mount('/api', app.fetch);
    server = createServer(getRequestListener(outer.fetch));
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await send(port, request('/api/__lbheartbeat__'))).toContain('"status":"ok"');
  });
});
