import { Agent, get as httpGet } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import plugin, { checks, fastifyConfig, Health, health as healthPlugin, logConfig } from 'lifesign/fastify';
import { selfSigned } from '../http/certificate.js';
import { collect, until } from '../http/serving.js';

async function started(app: FastifyInstance, host = '127.0.0.1'): Promise<string> {
  onTestFinished(() => app.close().then(() => undefined));
  await app.listen({ host, port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

const ask = (session: http2.ClientHttp2Session, path: string) =>
  new Promise<{ status: unknown; headers: http2.IncomingHttpHeaders; body: string }>((resolve, reject) => {
    const stream = session.request({ ':path': path });
    let body = '';
    let headers: http2.IncomingHttpHeaders = {};
    stream.on('response', (received) => {
      headers = received;
    });
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      body += chunk;
    });
    stream.on('end', () => resolve({ status: headers[':status'], headers, body }));
    stream.on('error', reject);
  });

const set = (variables: Record<string, string>) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
};

describe('order', () => {
  test('a route, a rewriteUrl and a not-found handler of the application are never reached', async () => {
    const app = Fastify({ rewriteUrl: () => '/other' });
    app.get('/__heartbeat__', () => 'mine');
    app.get('/other', () => 'rewritten');
    new Health(app, { logger: collect().logger });
    const origin = await started(app);
    expect(await (await fetch(`${origin}/__heartbeat__`)).json()).toMatchObject({ status: 'ok' });
    expect(await (await fetch(`${origin}/any`)).text()).toBe('rewritten');
  });
});

describe('errors', () => {
  test('reach the summary from hooks, handlers and plugins; the handlers of the application answer', async () => {
    const { logger, summaries } = collect();
    const app = Fastify();
    new Health(app, { logger });
    app.setErrorHandler((error: Error, _request, reply) => reply.code(503).send({ caught: error.message }));
    app.get('/sync', () => {
      throw new Error('thrown');
    });
    app.get('/async', async () => Promise.reject(new Error('rejected')));
    app.register(async (scope) => {
      scope.addHook('preHandler', async () => {
        throw new Error('from a hook');
      });
      scope.setErrorHandler((_error, _request, reply) => reply.code(502).send('scoped'));
      scope.get('/scoped', () => 'never');
    });
    app.setNotFoundHandler((_request, reply) => reply.code(410).send('gone'));
    const origin = await started(app);
    const seen: unknown[] = [];
    for (const path of ['/sync', '/async', '/scoped', '/gone']) {
      seen.push(await (await fetch(origin + path)).text());
      await until(() => summaries().length === seen.length);
    }
    expect(seen).toEqual(['{"caught":"thrown"}', '{"caught":"rejected"}', 'scoped', 'gone']);
    expect(summaries().map(({ msg, level, fields }) => [msg, level, fields['code']])).toEqual([
      ['thrown', 40, 503],
      ['rejected', 40, 503],
      ['from a hook', 40, 502],
      [undefined, 20, 410],
    ]);
  });
});

describe('HTTP/2', () => {
  test('h2c and h2 over TLS answer and are summarised; close() ends', async () => {
    for (const secure of [false, true]) {
      const { logger, summaries } = collect();
      const app = (secure
        ? Fastify({ http2: true, https: await selfSigned() })
        : Fastify({ http2: true })) as unknown as FastifyInstance;
      new Health(app, { logger });
      app.get('/', () => ({ hello: 'world' }));
      app.get('/boom', () => {
        throw new Error('boom');
      });
      await app.listen({ host: '127.0.0.1', port: 0 });
      const { port } = app.server.address() as AddressInfo;
      const session = http2.connect(`${secure ? 'https' : 'http'}://127.0.0.1:${port}`, {
        rejectUnauthorized: false,
      });
      const heartbeat = await ask(session, '/__heartbeat__');
      expect(heartbeat.status).toBe(200);
      expect(heartbeat.headers['content-type']).toBe('application/json');
      expect(heartbeat.body).toBe('{"status":"ok","checks":{},"details":{}}');
      expect((await ask(session, '/')).body).toBe('{"hello":"world"}');
      expect((await ask(session, '/boom')).status).toBe(500);
      await until(() => summaries().length === 3);
      expect(summaries().map(({ fields, msg }) => [fields['code'], fields['errno'], msg])).toEqual([
        [200, 0, undefined],
        [200, 0, undefined],
        [500, 500, 'boom'],
      ]);
      session.close();
      await app.close();
    }
  });
});

describe('close', () => {
  test('a probe that keeps its connection does not keep close() waiting', async () => {
    const app = Fastify();
    let release: ((value: void) => void) | undefined;
    const health = new Health(app, { logger: collect().logger });
    health.check('slow', () => new Promise<void>((resolve) => (release = resolve)));
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const probe = (path: string) =>
      new Promise<string | undefined>((resolve, reject) => {
        httpGet({ host: '127.0.0.1', port, agent, path }, (response) => {
          response.resume();
          response.on('end', () => resolve(response.headers.connection));
        }).on('error', reject);
      });
    expect(await probe('/__lbheartbeat__')).toBe('keep-alive');
    // One probe is under way while close() begins, the next one comes over the same connection.
    const underWay = probe('/__heartbeat__');
    await until(() => release !== undefined);
    const next = probe('/__lbheartbeat__');
    const closed = app.close();
    release?.();
    await underWay;
    expect(await next.catch(() => 'close')).toBe('close');
    await closed;
    expect(app.server.listening).toBe(false);
  });
});

describe('plugin', () => {
  test('registers with options and puts the Health on app.health', async () => {
    expect(plugin).toBe(healthPlugin);
    const app = Fastify();
    await app.register(plugin, { logger: collect().logger, failedStatusCode: 503 });
    app.health.check('storage', () => [new checks.Error('Gone', { id: 'a.E1' })]);
    expect(app.health).toBeInstanceOf(Health);
    expect((await app.inject('/__heartbeat__')).statusCode).toBe(503);
    expect(app.printPlugins()).toContain('lifesign');
  });

  test('after the start it is refused', async () => {
    const app = Fastify();
    await app.ready();
    expect(() => new Health(app)).toThrow(expect.objectContaining({ code: 'LIFESIGN_APP_STARTED' }));
  });
});

describe('FASTIFY_ variables', () => {
  test('are server options and the configuration of the Health, typed', async () => {
    set({
      FASTIFY_BODY_LIMIT: '10',
      FASTIFY_TRUST_PROXY: 'true',
      FASTIFY_CASE_SENSITIVE: 'false',
      FASTIFY_REQUEST_ID_HEADER: 'X-Trace',
      FASTIFY_ACME_REGION: 'eu',
      FASTIFY_ACME_RATIO: '0.5',
      FASTIFY_ACME_ZIP: '00501',
      FASTIFY_ACME_ON: 'true',
      FASTIFY_EMPTY: '',
    });
    expect(fastifyConfig()).toEqual({
      bodyLimit: 10,
      trustProxy: true,
      requestIdHeader: 'X-Trace',
      routerOptions: { caseSensitive: false },
    });
    const app = Fastify({ keepAliveTimeout: 1234, ...fastifyConfig() });
    app.post('/Echo', () => 'fine');
    const health = new Health(app, { logger: collect().logger });
    expect(health.config).toEqual({
      bodyLimit: 10,
      trustProxy: true,
      caseSensitive: false,
      requestIdHeader: 'X-Trace',
      acmeRegion: 'eu',
      acmeRatio: 0.5,
      acmeZip: '00501',
      acmeOn: true,
    });
    expect(
      (await app.inject({ method: 'POST', url: '/echo', payload: { long: 'x'.repeat(20) } })).statusCode,
    ).toBe(413);
    expect((await app.inject({ method: 'POST', url: '/echo', payload: {} })).statusCode).toBe(200);
    expect(app.initialConfig.keepAliveTimeout).toBe(1234);
  });

  test.each([
    ['FASTIFY_BODY_LIMIT', '1MB', 'an integer from'],
    ['FASTIFY_BODY_LIMIT', '-1', 'an integer from'],
    ['FASTIFY_EXPOSE_HEAD_ROUTES', 'yes', 'true or false'],
    ['FASTIFY_MAX_PARAM_LENGTH', '0', 'an integer from 1'],
    ['FASTIFY_REQUEST_ID_HEADER', 'a b', 'an HTTP header name'],
  ])('%s=%s is refused by name', (name, value, expected) => {
    set({ [name]: value });
    for (const read of [fastifyConfig, () => new Health()]) {
      expect(read).toThrow(
        expect.objectContaining({
          code: 'LIFESIGN_OPTION_INVALID',
          message: expect.stringContaining(`${name} is "${value}"; it must be ${expected}`),
        }),
      );
    }
  });
});

describe('the log of the application', () => {
  /** An application that logs by a configuration, and the lines it wrote. */
  function logging(options: object, health: ConstructorParameters<typeof Health>[1] = {}) {
    const lines: { Type: string; Logger: string; EnvVersion: string; Fields: Record<string, unknown> }[] = [];
    const stream = new PassThrough();
    stream.on('data', (chunk: Buffer) => {
      for (const line of chunk.toString().trimEnd().split('\n')) lines.push(JSON.parse(line));
    });
    const app = Fastify({ logger: { ...logConfig({ loggerName: 'acme' }), stream, ...options } });
    new Health(app, health).check('storage', () => [new checks.Warning('Slow', { id: 'a.W1' })]);
    app.get('/', (request) => {
      request.log.debug('in the handler');
      return 'home';
    });
    const types = () => lines.map(({ Type }) => Type).filter((type) => type !== 'app.log');
    return { app, lines, types };
  }

  test('has request.summary and health.checks: name, stream, rid', async () => {
    const { app, lines, types } = logging({});
    const headers = { 'X-Request-Id': 'r-1' };
    await app.inject({ url: '/', headers });
    await app.inject({ url: '/__heartbeat__', headers });
    expect(types()).toEqual(['request.summary', 'health.checks', 'request.summary']);
    expect(new Set(lines.map(({ Logger, EnvVersion }) => `${Logger} ${EnvVersion}`))).toEqual(
      new Set(['acme 2.0']),
    );
    // The default level is debug, as that of the handler in the specification.
    expect(lines.filter(({ Fields }) => Fields['msg'] === 'in the handler')).toHaveLength(1);
    for (const { Fields, Type } of lines) if (Type !== 'app.log') expect(Fields['rid']).toBe('r-1');
  });

  test('its level and its redaction hold for them', async () => {
    const quiet = logging({ level: 'warn' });
    await quiet.app.inject('/');
    await quiet.app.inject('/__heartbeat__');
    expect(quiet.types()).toEqual(['health.checks']);
    const redacting = logging({ redact: ['agent'] });
    await redacting.app.inject({ url: '/', headers: { 'User-Agent': 'secret' } });
    const summary = redacting.lines.find(({ Type }) => Type === 'request.summary');
    expect(summary?.Fields['agent']).toBe('[Redacted]');
  });

  test('a Health that is made before the application follows it', async () => {
    const written: string[] = [];
    const stream = { write: (line: string) => void written.push(line) };
    const health = new Health();
    const app = Fastify({ logger: { stream } });
    health.initApp(app);
    await app.inject('/');
    expect(written.filter((line) => line.includes('"logger":"request.summary"'))).toHaveLength(1);
  });
});

test('a Health in a plugin serves the whole application', async () => {
  const { logger, summaries } = collect();
  const app = Fastify();
  app.register(async (scope) => {
    scope.get('/before', () => 'before');
  });
  app.register(async (scope) => {
    await scope.register(async (deeper) => void new Health(deeper, { logger }));
  });
  app.get('/', (request) => request.id);
  expect((await app.inject('/__lbheartbeat__')).statusCode).toBe(200);
  for (const url of ['/', '/before']) await app.inject({ url, headers: { 'X-Request-Id': url } });
  await until(() => summaries().length === 3);
  expect(summaries().map(({ fields }) => fields['rid'])).toEqual([expect.any(String), '/', '/before']);
});
