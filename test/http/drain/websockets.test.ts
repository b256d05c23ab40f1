import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import websocket from '@fastify/websocket';
import Fastify from 'fastify';
import { Server as SocketServer } from 'socket.io';
import { io, type Socket as Client } from 'socket.io-client';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type DrainOptions, drainOnSignals } from 'lifesign/drain';
import { Health as FastifyHealth } from 'lifesign/fastify';
import { makeHealth } from '../../core/make-health.js';
import { pause, until } from '../../core/waiting.js';
import { selfSigned } from '../certificate.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Makes a server drain, and listen. A drain that waits for its timeout shows. */
async function drained(server: Server, options: DrainOptions = {}) {
  const { health, records } = makeHealth({ summary: false });
  const drain = drainOnSignals(health, {
    server,
    delay: 0,
    timeout: 600_000,
    exit: () => {},
    ...options,
  });
  ends.push(() => {
    drain.stop();
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { drain, port, said: () => records.map(({ msg }) => msg ?? '') };
}

/** A client of `ws`, what it heard and how it ended. */
async function open(url: string) {
  const client = new WebSocket(url, { rejectUnauthorized: false });
  ends.push(() => client.terminate());
  const heard: string[] = [];
  client.on('message', (data: Buffer) => heard.push(data.toString()));
  const end = once(client, 'close').then(([code, reason]) => [code, String(reason)] as const);
  await once(client, 'open');
  return { client, heard, end };
}

const noCut = (lines: readonly string[]) => lines.filter((line) => line.includes('cut'));

describe('the WebSockets of ws', () => {
  it.each(['http', 'https', 'its own upgrade listener'])(
    'are closed with 1001 after the delay, over %s',
    async (kind) => {
      const server = kind === 'https' ? createSecureServer(await selfSigned()) : createHttpServer();
      const sockets = new WebSocketServer(
        kind === 'http' || kind === 'https' ? { server } : { noServer: true },
      );
      if (kind === 'its own upgrade listener') {
        server.on('upgrade', (req, socket, head) =>
          sockets.handleUpgrade(req, socket, head, (made) => sockets.emit('connection', made)),
        );
      }
      sockets.on('connection', (socket) =>
        socket.on('message', (data: Buffer) => socket.send(`echo ${data.toString()}`)),
      );
      const { drain, port, said } = await drained(server, { delay: 300 });
      const { client, heard, end } = await open(`${kind === 'https' ? 'wss' : 'ws'}://127.0.0.1:${port}`);
      const code = drain.start();
      await pause(100);
      // During the delay all is as before.
      client.send('still here');
      await until(() => heard.length === 1);
      expect(await end).toEqual([1001, 'going away']);
      expect(await code).toBe(0);
      expect([heard, noCut(said())]).toEqual([['echo still here'], []]);
    },
  );

  it.each([false, true])('lose no message that was sent before, compressed %s', async (perMessageDeflate) => {
    const server = createHttpServer();
    const sockets = new WebSocketServer({ server, perMessageDeflate });
    const { drain, port, said } = await drained(server);
    const connected = once(sockets, 'connection');
    const { client, heard, end } = await open(`ws://127.0.0.1:${port}`);
    const [socket]: WebSocket[] = await connected;
    client.pause();
    // More than the buffers of the system hold: most of it is still in the process when the drain begins.
    const sent = Array.from({ length: 64 }, (_, index) => `${index} ${'x'.repeat(256 * 1024)}`);
    for (const message of sent) socket?.send(message);
    const code = drain.start();
    await pause(300);
    client.resume();
    expect((await end)[0]).toBe(1001);
    expect(await code).toBe(0);
    expect(heard.map((message) => message.slice(0, 3).trim())).toEqual(
      sent.map((message) => message.slice(0, 3).trim()),
    );
    expect(noCut(said())).toEqual([]);
  });

  it('that send all the time are closed all the same', async () => {
    const server = createHttpServer();
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => {
      const ticker = setInterval(() => socket.send('x'.repeat(64 * 1024)), 1);
      socket.on('close', () => clearInterval(ticker));
    });
    const { drain, port } = await drained(server, { timeout: 20_000 });
    const { end } = await open(`ws://127.0.0.1:${port}`);
    expect(await drain.start()).toBe(0);
    expect((await end)[0]).toBe(1001);
  });

  it('whose client is gone without a word do not hold it up', async () => {
    const server = createHttpServer();
    const sockets = new WebSocketServer({ server });
    const { drain, port, said } = await drained(server);
    const silent = await upgradeByHand(port, 'websocket');
    await until(() => sockets.clients.size === 1);
    expect(await drain.start()).toBe(0);
    expect(noCut(said())).toEqual([]);
    silent.destroy();
  });

  it('a second signal does not wait for them', async () => {
    const server = createHttpServer();
    const sockets = new WebSocketServer({ server });
    const { drain, port, said } = await drained(server);
    const silent = await upgradeByHand(port, 'websocket');
    await until(() => sockets.clients.size === 1);
    const code = drain.start();
    drain.hurry();
    expect(await code).toBe(1);
    expect(noCut(said())).toEqual(['Upgraded connections were cut off: the drain was cut short']);
    silent.destroy();
  });
});

it('a connection of a protocol that lifesign does not know is left alone until the timeout', async () => {
  const server = createHttpServer();
  server.on('upgrade', (_req, socket: Socket) => {
    socket.on('error', () => {}).on('data', (data) => socket.write(data));
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
  });
  const { drain, port, said } = await drained(server, { timeout: 700 });
  const socket = await upgradeByHand(port, 'echo');
  const code = drain.start();
  await pause(200);
  const echoed = once(socket, 'data');
  socket.write('hello');
  expect(String((await echoed)[0])).toBe('hello');
  expect(await code).toBe(1);
  expect(noCut(said())).toEqual(['Upgraded connections were cut off: they took longer than 700 ms']);
});

describe('socket.io', () => {
  async function serving(transports: ('polling' | 'websocket')[]) {
    const server = createHttpServer();
    const sockets = new SocketServer(server);
    ends.push(() => void sockets.close());
    const it = await drained(server);
    const client: Client = io(`http://127.0.0.1:${it.port}`, { transports, reconnection: false });
    ends.push(() => client.close());
    const heard: string[] = [];
    client.on('news', (text: string) => heard.push(text));
    const reasons: string[] = [];
    client.on('disconnect', (reason) => reasons.push(reason));
    await new Promise<void>((resolve) => void client.once('connect', resolve));
    return { ...it, sockets, client, heard, reasons };
  }

  it('over WebSockets: all that was sent arrives, then the client may reconnect elsewhere', async () => {
    const { drain, sockets, client, heard, reasons, said } = await serving(['websocket']);
    const codes: number[] = [];
    const { ws } = client.io.engine.transport as unknown as { ws: WebSocket };
    ws.addEventListener('close', ({ code }) => codes.push(code));
    // Full: from here on socket.io keeps back what is sent.
    ws.pause();
    for (let index = 0; index < 200; index += 1) sockets.emit('news', `${index} ${'x'.repeat(100_000)}`);
    const code = drain.start();
    await pause(50);
    for (let index = 200; index < 205; index += 1) sockets.emit('news', `${index}`);
    await pause(200);
    ws.resume();
    expect(await code).toBe(0);
    await until(() => reasons.length === 1);
    // Not "io server disconnect", after which a client stays away.
    expect([reasons, codes]).toEqual([['transport close'], [1001]]);
    expect(heard.map((text) => Number(text.split(' ', 1)[0]))).toEqual(
      Array.from({ length: 205 }, (_, index) => index),
    );
    expect(noCut(said())).toEqual([]);
  });

  it('that polls: its request is held back for nothing and does not hold up the drain', async () => {
    const { drain, sockets, heard, reasons, said } = await serving(['polling']);
    sockets.emit('news', 'before');
    await until(() => heard.length === 1);
    expect(await drain.start()).toBe(0);
    await until(() => reasons.length === 1);
    expect([reasons, noCut(said())]).toEqual([['transport error'], []]);
  });
});

it('@fastify/websocket', async () => {
  const app = Fastify();
  const records: string[] = [];
  const health = new FastifyHealth(app, { logger: { log: ({ msg = '' }) => void records.push(msg) } });
  await app.register(websocket);
  app.get('/ws', { websocket: true }, (socket) => {
    socket.on('message', (data: Buffer) => socket.send(`echo ${data.toString()}`));
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const drain = drainOnSignals(health, {
    server: app.server,
    delay: 0,
    timeout: 600_000,
    exit: () => {},
    onShutdown: [() => app.close()],
  });
  ends.push(() => drain.stop());
  const { client, heard, end } = await open(`ws://127.0.0.1:${port}/ws`);
  client.send('hello');
  await until(() => heard.length === 1);
  expect(await drain.start()).toBe(0);
  expect(await end).toEqual([1001, 'going away']);
  expect(noCut(records)).toEqual([]);
});

const upgradeOf = (protocol: string) =>
  `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

/** A connection that was upgraded and answers nothing more. */
async function upgradeByHand(port: number, protocol: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  ends.push(() => socket.destroy());
  socket.write(upgradeOf(protocol));
  await once(socket, 'data');
  return socket;
}
