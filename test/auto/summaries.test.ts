import { once } from 'node:events';
import http2 from 'node:http2';
import { request } from 'node:https';
import { connect } from 'node:net';
import { io } from 'socket.io-client';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { selfSigned } from '../http/certificate.js';
import { pause, until } from '../core/waiting.js';
import { type Running, startApplication } from './start.js';

const shown = (summaries: Awaited<ReturnType<Running['summaries']>>) =>
  summaries.map(({ method, path, code }) => `${method} ${path} ${code}`).toSorted();

/** Waits a moment for lines that must not come. */
async function exactly(app: Running, count: number): Promise<readonly string[]> {
  await app.summaries(count);
  await pause(150);
  return shown(await app.summaries(count));
}

describe.each(['mjs', 'cjs'] as const)('one summary a request, .%s', (form) => {
  test('answered, streamed, posted, aborted', async () => {
    const app = await startApplication('node', form);
    await (await fetch(`${app.origin}/`)).text();
    expect(await (await fetch(`${app.origin}/stream`)).text()).toBe('the start the end');
    await (await fetch(`${app.origin}/echo`, { method: 'POST', body: 'x' })).text();
    const aborted = connect(app.port, '127.0.0.1');
    aborted.write('GET /hang HTTP/1.1\r\nHost: x\r\n\r\n');
    await pause(100);
    aborted.destroy();
    expect(await exactly(app, 4)).toEqual([
      'GET / 200',
      'GET /hang 499',
      'GET /stream 200',
      'POST /echo 201',
    ]);
  });

  test('upgraded: ws and socket.io', async () => {
    const app = await startApplication('ws', form);
    const socket = new WebSocket(`ws://127.0.0.1:${app.port}/chat`);
    await once(socket, 'open');
    socket.send('hello');
    expect(String((await once(socket, 'message'))[0])).toBe('hello');
    socket.close();
    expect(await exactly(app, 1)).toEqual(['GET /chat 101']);
    expect((await fetch(`${app.origin}/__lbheartbeat__`)).status).toBe(200);

    const chat = await startApplication('socketio', form);
    const client = io(chat.origin, { transports: ['websocket'] });
    expect(await client.emitWithAck('say', 'hello')).toBe('hello');
    client.close();
    expect(await exactly(chat, 1)).toEqual(['GET /socket.io/ 101']);
  });
});

const { key, cert } = await selfSigned();
const [KEY, CERT] = [String(key), String(cert)];

test('https', async () => {
  const app = await startApplication('https', 'mjs', { env: { KEY, CERT } });
  const status = await new Promise((resolve, reject) => {
    const options = { port: app.port, path: '/__heartbeat__', rejectUnauthorized: false };
    request(options, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
  expect(status).toBe(200);
  expect(await exactly(app, 1)).toEqual(['GET /__heartbeat__ 200']);
});

const overHttp2 = async (session: http2.ClientHttp2Session, path: string): Promise<[unknown, string]> => {
  const stream = session.request({ ':path': path });
  const [headers] = await once(stream, 'response');
  let body = '';
  for await (const piece of stream) body += String(piece);
  return [headers[':status'], body];
};

test.each(['http2', 'http2s'])('%s', async (name) => {
  const app = await startApplication(name, 'cjs', { env: { KEY, CERT } });
  const scheme = name === 'http2' ? 'http' : 'https';
  const session = http2.connect(`${scheme}://127.0.0.1:${app.port}`, { rejectUnauthorized: false });
  const empty = '{"status":"ok","checks":{},"details":{}}';
  expect(await overHttp2(session, '/__heartbeat__')).toEqual([200, empty]);
  expect(await overHttp2(session, '/')).toEqual([200, '{"hello":"world"}']);
  session.close();
  expect(await exactly(app, 2)).toEqual(['GET / 200', 'GET /__heartbeat__ 200']);
});

test('a server of streams, as gRPC has it, is left alone', async () => {
  const app = await startApplication('grpcLike', 'mjs');
  const session = http2.connect(`http://127.0.0.1:${app.port}`);
  expect(await overHttp2(session, '/__heartbeat__')).toEqual([200, 'a stream']);
  session.close();
  app.child.kill('SIGTERM');
  await until(() => app.child.exitCode !== null || app.child.signalCode !== null);
  expect(app.stdout()).toBe('');
});
