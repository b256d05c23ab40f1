import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2 } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { attach } from 'engine.io';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import type { LogRecord } from 'lifesign';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as NodeHealth } from 'lifesign/node';
import { collecting } from '../../conformance/host.js';
import { pause, until } from '../../core/waiting.js';
import { exchange, open, requestText } from '../../logging/raw-http.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function listen(server: Server): Promise<number> {
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const summaries = (records: readonly LogRecord[]) =>
  records.filter(({ logger }) => logger === 'request.summary');
const told = (records: readonly LogRecord[]) =>
  summaries(records).map(({ fields: { method, path, code } }) => `${method} ${path} ${code}`);

const head = 'POST / HTTP/1.1\r\nHost: acme\r\n';

it('requests that Node rejects itself have no summary, and those of other listeners have one', async () => {
  const { options, records } = collecting({});
  const server = createServer((req, res) => res.end(req.url));
  new NodeHealth(server, options);
  server.on('checkExpectation', (_req, res) => res.writeHead(418, { Connection: 'close' }).end());
  server.on('checkContinue', (req, res) => {
    res.writeContinue();
    server.emit('request', req, res);
  });
  const port = await listen(server);
  const expecting = (what: string, path: string) =>
    requestText('GET', path, [
      ['Expect', what],
      ['Connection', 'close'],
    ]);
  expect(await exchange(port, 'HELLO\r\n\r\n')).toEqual([400]);
  expect(await exchange(port, 'GET /nohost HTTP/1.1\r\n\r\n')).toEqual([400]);
  expect(await exchange(port, expecting('wonders', '/teapot'))).toEqual([418]);
  expect(await exchange(port, expecting('100-continue', '/on'))).toEqual([100, 200]);
  expect((await exchange(port, expecting('100-continue', '/__lbheartbeat__'))).at(-1)).toBe(200);
  await until(() => summaries(records).length > 2);
  expect(told(records)).toEqual(['GET /teapot 418', 'GET /on 200', 'GET /__lbheartbeat__ 200']);
});

it('a request whose body Node rejects is one that was cut off', async () => {
  const { options, records } = collecting({});
  const server = createServer((req) => void req.on('error', () => {}).resume());
  new NodeHealth(server, options);
  expect(await exchange(await listen(server), `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)).toEqual([
    400,
  ]);
  await until(() => summaries(records).length > 0);
  expect(told(records)).toEqual(['POST / 499']);
});

describe('a body that breaks off', () => {
  const cases: Record<
    string,
    { path: string; leaves?: boolean; fields: { code: number; errno: number; cut?: true }; msg?: string }
  > = {
    'pipeline fails': { path: '/pipeline', fields: { code: 200, errno: 500, cut: true }, msg: 'disk gone' },
    'res.destroy(error)': { path: '/error', fields: { code: 200, errno: 500, cut: true }, msg: 'disk gone' },
    'res.destroy()': { path: '/destroy', fields: { code: 200, errno: 500, cut: true } },
    'the client leaves': { path: '/part', leaves: true, fields: { code: 200, errno: 0, cut: true } },
    'the client leaves, pipeline': {
      path: '/endless',
      leaves: true,
      fields: { code: 200, errno: 0, cut: true },
    },
    'before it begins, with an error': {
      path: '/early',
      fields: { code: 499, errno: 500 },
      msg: 'disk gone',
    },
    'not at all': { path: '/fine', fields: { code: 200, errno: 0 } },
  };
  type Answering = NodeJS.WritableStream & { destroy(error?: Error): unknown };
  const act = (path: string | undefined, res: Answering) => {
    const gone = new Error('disk gone');
    async function* pieces(end: () => boolean) {
      for (let n = 0; !end(); n += 1) {
        yield 'x';
        await pause(5);
        if (n === 5 && path === '/pipeline') throw gone;
      }
    }
    if (path === '/early') return res.destroy(gone);
    if (path === '/fine') return res.end('x');
    if (path === '/pipeline' || path === '/endless') {
      return pipeline(Readable.from(pieces(() => false)), res, () => {});
    }
    res.write('x');
    if (path === '/error') setTimeout(() => res.destroy(gone), 20);
    if (path === '/destroy') setTimeout(() => res.destroy(), 20);
    return undefined;
  };

  it.each(Object.entries(cases))('%s: HTTP/1', async (_what, { path, leaves, fields, msg }) => {
    const { options, records } = collecting({});
    const server = createServer((req, res) => void act(req.url, res));
    new NodeHealth(server, options);
    for (const how of ['destroy', 'resetAndDestroy'] as const) {
      records.length = 0;
      const socket = await open(await listen(server));
      socket.write(requestText('GET', path));
      if (path !== '/early') await once(socket, 'data');
      if (leaves) socket[how]();
      await until(() => records.length > 0);
      const level = msg !== undefined ? 40 : fields.errno === 0 ? 20 : 30;
      expect(records[0]).toMatchObject({ level, fields });
      expect([records[0]?.msg, 'cut' in (records[0]?.fields ?? {})]).toEqual([msg, 'cut' in fields]);
    }
  });

  it.each(Object.entries(cases))('%s: HTTP/2', async (_what, { path, leaves, fields, msg }) => {
    const { options, records } = collecting({});
    const plain = createHttp2((req, res) => void act(req.url, res));
    new NodeHealth(plain, options);
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const session = connectHttp2(`http://127.0.0.1:${(plain.address() as AddressInfo).port}`);
    ends.push(() => {
      session.destroy();
      plain.close();
    });
    const stream = session.request({ ':path': path });
    stream.on('error', () => {}).resume();
    if (leaves) {
      await once(stream, 'data');
      stream.close(8);
    }
    await until(() => records.length > 0);
    expect(records[0]).toMatchObject({ fields });
    expect([records[0]?.msg, 'cut' in (records[0]?.fields ?? {})]).toEqual([msg, 'cut' in fields]);
  });
});

describe('a client that leaves, with a logger that takes summaries at the end of the turn', () => {
  async function* pieces() {
    for (;;) {
      yield 'x';
      await pause(5);
    }
  }
  it('is no error of the server, which Express hands on', async () => {
    const records: LogRecord[] = [];
    const app = express();
    new ExpressHealth(app, {
      logger: { deferrable: true, log: (one: LogRecord) => records.push(one) },
    });
    app.get('/', (_req, res, next) => void pipeline(Readable.from(pieces()), res, next));
    // Keeps Express from printing the error.
    app.set('env', 'test');
    const port = await listen(app.listen(0, '127.0.0.1'));
    for (const how of ['end', 'resetAndDestroy'] as const) {
      records.length = 0;
      const socket = await open(port);
      socket.write(requestText('GET', '/'));
      await once(socket, 'data');
      socket.resume()[how]();
      await until(() => records.length > 0);
      expect(records[0]).toMatchObject({ level: 20, fields: { code: 200, errno: 0, cut: true } });
      expect(records[0]?.msg).toBeUndefined();
    }
  });

  it('an answer that begins after that is none', async () => {
    const { options, records } = collecting({});
    const server = createServer((req, res) => {
      req.on('error', () => {});
      // What body parsers listen to: it comes before the response is closed.
      req.on('aborted', () => res.writeHead(500).end());
      req.resume();
    });
    new NodeHealth(server, options);
    const socket = await open(await listen(server));
    socket.write(`${head}Content-Length: 5\r\n\r\nxx`);
    await once(server, 'request');
    socket.resetAndDestroy();
    await until(() => records.length > 0);
    expect(records[0]).toMatchObject({ level: 20, fields: { code: 499, errno: 0 } });
  });
});

const servers: Record<string, (options: object) => Server> = {
  Express: (options) => {
    const app = express();
    new ExpressHealth(app, options);
    return app.listen(0, '127.0.0.1');
  },
  'node:http': (options) => {
    const server = createServer((_req, res) => res.writeHead(404).end());
    new NodeHealth(server, options);
    return server;
  },
};
it.each(Object.entries(servers))('%s: polling of socket.io has one line each', async (_name, start) => {
  const { options, records } = collecting({});
  const server = start(options);
  const engine = attach(server, { pingInterval: 60_000 });
  ends.push(() => engine.close());
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const polling = `${origin}/engine.io/?EIO=4&transport=polling`;
  const handshake = await (await fetch(polling)).text();
  const { sid } = JSON.parse(handshake.slice(1)) as { sid: string };
  await (await fetch(`${polling}&sid=${sid}`, { method: 'POST', body: '4hello' })).text();
  for (const path of ['/other', '/__lbheartbeat__']) await (await fetch(origin + path)).text();
  await until(() => records.length > 3);
  await pause(20);
  expect(told(records)).toEqual([
    'GET /engine.io/ 200',
    'POST /engine.io/ 200',
    'GET /other 404',
    'GET /__lbheartbeat__ 200',
  ]);
  expect(new Set(records.map(({ fields }) => fields['rid'])).size).toBe(4);
});
