import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2 } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { attach } from 'engine.io';
import express from 'express';
import Fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import type { Logger, LogRecord } from 'lifesign';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as FastifyHealth } from 'lifesign/fastify';
import { Health as NodeHealth } from 'lifesign/node';
import { drainOnSignals } from 'lifesign/drain';
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

/** The hosts whose server is known from its first moment. */
const hosts: Record<string, (options: object) => Promise<Server>> = {
  'node:http': async (options) => {
    const server = createServer((req, res) => {
      req.on('error', () => {}).resume();
      if (req.method !== 'POST') res.end('x');
    });
    new NodeHealth(server, options);
    return server;
  },
  'Express, app.listen': async (options) => {
    const app = express();
    new ExpressHealth(app, options);
    app.get('/', (_req, res) => void res.send('x'));
    app.post('/', (req) => void req.on('error', () => {}).resume());
    return app.listen(0, '127.0.0.1');
  },
  Fastify: async (options) => {
    const app = Fastify();
    new FastifyHealth(app, options);
    app.get('/', () => 'x');
    app.addContentTypeParser('*', (_request, payload, done) => {
      payload.on('error', () => {}).resume();
      payload.once('end', () => done(null));
    });
    app.post('/', async (_request, reply) => void reply.hijack());
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
};

const head = 'POST / HTTP/1.1\r\nHost: acme\r\n';
const refusals: Record<string, { bytes: string; code: number; record: string }> = {
  'no request at all': { bytes: 'HELLO\r\n\r\n', code: 400, record: '  400' },
  'a bad header': {
    bytes: 'GET /bad%20header?x HTTP/1.1\r\nHost: acme\r\nBad Header\r\n\r\n',
    code: 400,
    record: 'GET /bad header 400',
  },
  'no Host': { bytes: 'GET /nohost HTTP/1.1\r\n\r\n', code: 400, record: 'GET /nohost 400' },
  'headers that are too large': {
    bytes: `GET /large HTTP/1.1\r\nHost: acme\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
    code: 431,
    record: 'GET /large 431',
  },
  'an expectation nobody knows': {
    bytes: 'GET /expect HTTP/1.1\r\nHost: acme\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
    code: 417,
    record: 'GET /expect 417',
  },
  'a chunk that is none': {
    bytes: `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    code: 400,
    record: 'POST / 400',
  },
  'chunk extensions that are too large': {
    bytes: `${head}Transfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(20_000)}\r\nxx\r\n`,
    code: 413,
    record: 'POST / 413',
  },
};

describe.each(Object.entries(hosts))('%s', (host, start) => {
  it.each(Object.entries(refusals))('%s has one summary with what Node answered', async (_what, expected) => {
    const { options, records } = collecting({});
    const port = await listen(await start(options));
    const codes = await exchange(port, expected.bytes);
    // Fastify answers 400 to all that cannot be read.
    const code = host === 'Fastify' && expected.code === 413 ? codes[0] : expected.code;
    expect(codes).toEqual([code]);
    await until(() => summaries(records).length > 0);
    await pause(20);
    expect(told(records)).toEqual([expected.record.replace(/\d+$/, String(code))]);
    for (const { fields } of summaries(records)) expect(fields['rid']).toMatch(/^[\w-]{36}$/);
  });

  it('a connection that is reset while it is idle, or never used, has none', async () => {
    const { options, records } = collecting({});
    const port = await listen(await start(options));
    (await open(port)).resetAndDestroy();
    const used = await open(port);
    used.write(requestText('GET', '/'));
    await once(used, 'data');
    used.resetAndDestroy();
    await pause(50);
    expect(told(records)).toEqual(['GET / 200']);
  });
});

it('a request that takes too long is 408, before its headers and in its body', async () => {
  const { options, records } = collecting({});
  const server = createServer(
    { connectionsCheckingInterval: 20 },
    (req) => void req.on('error', () => {}).resume(),
  );
  server.headersTimeout = 50;
  server.requestTimeout = 60;
  new NodeHealth(server, options);
  const port = await listen(server);
  expect(await exchange(port, 'GET /slow HTTP/1.1\r\nHo')).toEqual([408]);
  expect(await exchange(port, `${head}Content-Length: 5\r\n\r\nxx`)).toEqual([408]);
  const silent = await open(port);
  silent.resume();
  await once(silent, 'close');
  expect(told(records)).toEqual(['  408', 'POST / 408']);
});

it('the limit of requests of a connection: 503', async () => {
  const { options, records } = collecting({});
  const server = createServer((_req, res) => res.end('x'));
  server.maxRequestsPerSocket = 1;
  // Node leaves the connection open after its 503.
  server.keepAliveTimeout = 50;
  new NodeHealth(server, options);
  const port = await listen(server);
  await exchange(port, requestText('GET', '/a') + requestText('GET', '/b'));
  await until(() => summaries(records).length > 1);
  expect(told(records)[0]).toBe('GET /a 200');
  expect(told(records)).toHaveLength(2);
});

it("an application's own listeners are asked, and what they answer is logged", async () => {
  const { options, records } = collecting({});
  const server = createServer((req, res) => res.end(req.url));
  new NodeHealth(server, options);
  const errors: unknown[] = [];
  server.on('clientError', (error, socket) => {
    errors.push(error);
    setTimeout(() => socket.end('HTTP/1.1 422 No\r\nConnection: close\r\n\r\n'), 10);
  });
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
  expect(await exchange(port, 'HELLO\r\n\r\n')).toEqual([422]);
  expect(await exchange(port, expecting('wonders', '/teapot'))).toEqual([418]);
  expect(await exchange(port, expecting('100-continue', '/on'))).toEqual([100, 200]);
  expect((await exchange(port, expecting('100-continue', '/__lbheartbeat__'))).at(-1)).toBe(200);
  expect(errors).toHaveLength(1);
  await until(() => summaries(records).length > 3);
  expect(told(records)).toEqual(['  422', 'GET /teapot 418', 'GET /on 200', 'GET /__lbheartbeat__ 200']);
});

it('a listener for clientError that leaves the connection open does not fill the log', async () => {
  const { options, records } = collecting({});
  const server = createServer();
  new NodeHealth(server, options);
  server.on('clientError', () => {});
  const socket = await open(await listen(server));
  for (let n = 0; n < 5; n += 1) {
    socket.write('HELLO\r\n\r\n');
    await pause(10);
  }
  socket.destroy();
  await until(() => summaries(records).length > 0);
  await pause(20);
  expect(told(records)).toEqual(['  400']);
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
      logger: { deferrable: true, log: (one: LogRecord) => records.push(one) } as Logger,
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

it('bytes left over from an answered request are no request, whatever Node says of them', async () => {
  const { options, records } = collecting({});
  const server = createServer(
    { connectionsCheckingInterval: 20 },
    (_req, res) => void res.writeHead(401).end(),
  );
  server.requestTimeout = 60;
  server.headersTimeout = 50;
  new NodeHealth(server, options);
  const port = await listen(server);
  expect(await exchange(port, `${head}Content-Length: 5\r\n\r\nxx`)).toEqual([401, 408]);
  await exchange(port, `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
  // The whole body has come: what follows is a request.
  await exchange(port, `${head}Content-Length: 2\r\n\r\nxxHELLO\r\n\r\n`);
  expect(told(records)).toEqual(['POST / 401', 'POST / 401', 'POST / 401', '  400']);
});

const servers: Record<string, (options: object) => Server> = {
  Express: (options) => {
    const app = express();
    const health = new ExpressHealth(app, options);
    const server = createServer(app);
    const drain = drainOnSignals(health, { server });
    ends.push(() => drain.stop());
    return server;
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
