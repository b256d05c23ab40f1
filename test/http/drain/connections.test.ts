import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { createSecureServer, createServer as createHttp2 } from 'node:http2';
import { request as requestSecurely } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type DrainOptions, drainOnSignals } from 'lifesign/drain';
import { Health } from 'lifesign/node';
import { collecting } from '../../conformance/host.js';
import { pause, until } from '../../core/waiting.js';
import { open, requestText } from '../../logging/raw-http.js';
import { selfSigned } from '../certificate.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

type Server = Parameters<typeof drainOnSignals>[1]['server'];

/** A draining server with a Health, on a port of its own. */
async function draining(server: Server, drainOptions: DrainOptions = {}) {
  const { options, records } = collecting({});
  const health = new Health(server, options);
  const drain = drainOnSignals(health, { server, delay: 100, exit: () => {}, ...drainOptions });
  ends.push(() => drain.stop());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const codes = () =>
    records.filter(({ logger }) => logger === 'request.summary').map(({ fields }) => fields['code']);
  return { drain, health, records, codes, port: (server.address() as AddressInfo).port };
}

/** Answers after the milliseconds that the path names. */
const waiting: RequestListener = (req, res) =>
  void setTimeout(() => res.end('done'), Number(req.url?.slice(1)));

function session(authority: string): ClientHttp2Session {
  const made = connectHttp2(authority, { rejectUnauthorized: false });
  made.on('error', () => {});
  ends.push(() => made.destroy());
  return made;
}

async function ask(client: ClientHttp2Session, path: string): Promise<string> {
  const stream = client.request({ ':path': path });
  let text = '';
  stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  await once(stream, 'close').catch((error: Error) => (text = error.message));
  return text;
}

describe.each(['http2', 'http2 with TLS, and HTTP/1 beside it'])('%s', (kind) => {
  async function start(options: DrainOptions = {}) {
    const secure = kind !== 'http2';
    const answer = waiting as never;
    const server = secure
      ? createSecureServer({ ...(await selfSigned()), allowHTTP1: true }, answer)
      : createHttp2(answer);
    const started = await draining(server, options);
    return { ...started, origin: `${secure ? 'https' : 'http'}://127.0.0.1:${started.port}` };
  }

  it('streams under way are answered, idle sessions end, clients are told to leave, new ones are answered', async () => {
    const { drain, origin, codes } = await start({ timeout: 20_000 });
    const [busy, idle] = [session(origin), session(origin)];
    expect(await ask(idle, '/0')).toBe('done');
    let away = false;
    busy.once('goaway', () => (away = true));
    const answer = ask(busy, '/300');
    await pause(30);
    const drained = drain.start();
    await pause(20);
    const late = session(origin);
    expect(await ask(late, '/0')).toBe('done');
    expect(await answer).toBe('done');
    expect(await drained).toBe(0);
    expect(away).toBe(true);
    await until(() => busy.destroyed && idle.destroyed && late.destroyed);
    expect(codes()).toEqual([200, 200, 200]);
  });

  it('what takes too long is cut and logged', async () => {
    const { drain, origin, codes, records } = await start({ delay: 0, timeout: 100 });
    const answer = ask(session(origin), '/60000');
    await pause(50);
    expect(await drain.start()).toBe(1);
    expect(await answer).not.toBe('done');
    expect(codes()).toEqual([499]);
    expect(records.some(({ msg }) => msg?.startsWith('Requests were cut'))).toBe(true);
  });

  // Only the secure one speaks HTTP/1, too.
  const maybe = kind === 'http2' ? [] : ['HTTP/1 over it'];
  it.each(maybe)('%s', async () => {
    const { drain, port, codes } = await start({ timeout: 20_000 });
    const asked = new Promise<string | undefined>((resolve) => {
      requestSecurely({ port, host: '127.0.0.1', path: '/200', rejectUnauthorized: false }, (res) => {
        res.resume().once('end', () => resolve(res.headers.connection));
      }).end();
    });
    await pause(50);
    const drained = drain.start();
    expect(await asked).toBe('close');
    expect(await drained).toBe(0);
    expect(codes()).toEqual([200]);
  });
});

describe('HTTP/1', () => {
  it('a pipelined connection gets all its answers, and only the last says that it closes', async () => {
    let seen = 0;
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const server = createServer((_req, res) => {
      seen += 1;
      void gate.then(() => res.end('done'));
    });
    const { drain, port, codes } = await draining(server, { timeout: 20_000 });
    const socket = await open(port);
    const closed = once(socket, 'close');
    let received = '';
    socket.setEncoding('latin1').on('data', (piece: string) => (received += piece));
    socket.write(requestText('GET', '/1') + requestText('GET', '/2'));
    await until(() => seen === 2);
    const drained = drain.start();
    socket.write(requestText('GET', '/3') + requestText('GET', '/4'));
    await until(() => seen === 4);
    release();
    expect(await drained).toBe(0);
    await closed;
    expect(received.match(/Connection: close/g)).toHaveLength(1);
    expect(received.split('HTTP/1.1 ').at(-1)).toContain('Connection: close');
    expect(received.match(/done/g)).toHaveLength(4);
    expect(codes()).toEqual([200, 200, 200, 200]);
  });

  it('an answer that is still on its way to a slow reader is not cut', async () => {
    const size = 20_000_000;
    const server = createServer((_req, res) => res.end('x'.repeat(size)));
    const { drain, port, records } = await draining(server, { delay: 0, timeout: 30_000 });
    const socket = await open(port);
    socket.pause();
    socket.write(requestText('GET', '/'));
    await pause(100);
    const drained = drain.start();
    await pause(200);
    let received = 0;
    socket.on('data', (piece: Buffer) => (received += piece.length)).resume();
    expect(await drained).toBe(0);
    await until(() => received > size);
    expect(records.find(({ logger }) => logger === 'request.summary')?.fields).not.toHaveProperty('cut');
  });

  it('a request that is only half there holds it up no longer than timeout', async () => {
    const { drain, port } = await draining(createServer(waiting), { delay: 0, timeout: 200 });
    const socket = await open(port);
    socket.write('GET / HTTP/1.1\r\nHost: ac');
    await pause(30);
    expect(await drain.start()).toBe(1);
    await until(() => socket.closed);
  });

  it('requests that are cut are logged before the process ends', async () => {
    const seen: unknown[] = [];
    const { drain, port, codes } = await draining(createServer(waiting), {
      delay: 0,
      timeout: 50,
      exit: () => seen.push(...codes()),
    });
    const socket = await open(port);
    socket.write(requestText('GET', '/60000') + requestText('GET', '/60000'));
    await pause(30);
    expect(await drain.start()).toBe(1);
    expect(seen).toEqual([499, 499]);
  });
});
