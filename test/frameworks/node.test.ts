import { createServer } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Health, requestId } from 'lifesign/node';
import { selfSigned } from '../http/certificate.js';
import { collect, listening, until } from '../http/serving.js';

describe('attached to a server', () => {
  test('answers before the listeners it has and those that follow, each of which is called once', async () => {
    const calls: string[] = [];
    const server = createServer((_req, res) => {
      calls.push('first');
      res.end('home');
    });
    new Health(server, { logger: collect().logger });
    server.on('request', () => calls.push('second'));
    server.prependListener('request', () => calls.push('zeroth'));
    const origin = await listening(server);
    expect((await fetch(`${origin}/__heartbeat__`)).status).toBe(200);
    expect(calls).toEqual([]);
    expect(await (await fetch(origin)).text()).toBe('home');
    expect(calls).toEqual(['zeroth', 'first', 'second']);
  });

  test('a CONNECT has its summary, with the code that the application writes', async () => {
    const server = createServer();
    const { logger, summaries } = collect();
    new Health(server, { logger });
    server.on('connect', (_req, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    const { port } = new URL(await listening(server));
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: elsewhere.example:443\r\n\r\n');
    socket.resume();
    await until(() => summaries().length === 1);
    expect(summaries()[0]?.fields).toMatchObject({ method: 'CONNECT', code: 403 });
  });

  test('http2 over TLS, with HTTP/1 beside it, each with its summary', async () => {
    const { logger, summaries } = collect();
    const options = { ...(await selfSigned()), allowHTTP1: true };
    const server = http2.createSecureServer(options, (_req, res) => res.end(requestId() ?? ''));
    new Health(server, { logger });
    const origin = await listening(server, 'https');

    const session = http2.connect(origin, { rejectUnauthorized: false });
    onTestFinished(() => session.destroy());
    const ask = (path: string, method = 'GET') =>
      new Promise<[unknown, string]>((resolve, reject) => {
        const stream = session.request({ ':path': path, ':method': method, 'x-request-id': `h2-${path}` });
        let status: unknown;
        let body = '';
        stream.on('response', (headers) => {
          status = headers[':status'];
        });
        stream.setEncoding('utf8');
        stream.on('data', (chunk: string) => (body += chunk));
        stream.on('end', () => resolve([status, body]));
        stream.on('error', reject);
        stream.end();
      });
    expect(await ask('/__lbheartbeat__')).toEqual([200, '{"status":"ok"}']);
    expect(await ask('/__lbheartbeat__', 'HEAD')).toEqual([200, '']);
    expect(await ask('/__lbheartbeat__', 'OPTIONS')).toEqual([204, '']);
    expect(await ask('/rid')).toEqual([200, 'h2-/rid']);

    const status = await new Promise((resolve, reject) => {
      https
        .get(`${origin}/__heartbeat__`, { rejectUnauthorized: false, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
        .on('error', reject);
    });
    expect(status).toBe(200);
    await until(() => summaries().length === 5);
    expect(summaries().map(({ fields }) => [fields['code'], fields['errno']])).toEqual([
      [200, 0],
      [200, 0],
      [204, 0],
      [200, 0],
      [200, 0],
    ]);
  });
});

describe('around a listener', () => {
  test('what an asynchronous listener rejects with reaches the summary and unhandledRejection', async () => {
    const { logger, summaries } = collect();
    const unhandled: unknown[] = [];
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    const hear = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', hear);
    onTestFinished(() => {
      process.off('unhandledRejection', hear);
      for (const listener of listeners) process.on('unhandledRejection', listener);
    });

    const health = new Health(undefined, { logger });
    const thrown = new Error('rejected');
    const origin = await listening(
      createServer(
        health.listener(async (_req, res) => {
          setTimeout(() => res.destroy(), 20);
          throw thrown;
        }),
      ),
    );
    await fetch(origin).catch(() => undefined);
    await until(() => summaries().length === 1);
    expect(summaries()[0]).toMatchObject({ msg: 'rejected', level: 40, fields: { errno: 500 } });
    expect(unhandled).toEqual([thrown]);
  });
});
