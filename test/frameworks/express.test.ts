import { createServer, type RequestListener } from 'node:http';
import { dirname, join } from 'node:path';
import compression from 'compression';
import express5, { type ErrorRequestHandler } from 'express';
import express4 from 'express4';
import { describe, expect, test } from 'vitest';
import { checks, Health, requestId } from 'lifesign/express';
import { collect, listening, until } from '../http/serving.js';

const serve = (listener: RequestListener) => listening(createServer(listener));

describe.each([
  ['Express 4', express4],
  ['Express 5', express5],
])('%s', (_name, express) => {
  const make = () => {
    const { records, logger } = collect();
    const app = express();
    app.set('env', 'test');
    return { app, records, logger };
  };

  test('behind compression the answer is whole and Vary is there once', async () => {
    const { app, logger } = make();
    app.use(compression({ threshold: 0 }));
    new Health(app, { logger });
    const origin = await serve(app);
    const reply = await fetch(`${origin}/__heartbeat__`, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(reply.headers.get('vary')).toBe('Accept-Encoding');
    expect(await reply.json()).toEqual({ status: 'ok', checks: {}, details: {} });
  });

  test('a Vary that was set before is kept and ours added', async () => {
    const { app, logger } = make();
    new Health(app, { logger });
    const origin = await serve((req, res) => {
      res.setHeader('Vary', req.headers['x-vary'] ?? '');
      res.setHeader('X-Kept', 'yes');
      app(req, res);
    });
    for (const [before, after] of [
      ['Origin', 'Origin, Accept-Encoding'],
      ['accept-encoding, Origin', 'accept-encoding, Origin'],
      ['*', '*'],
      ['', 'Accept-Encoding'],
    ] as const) {
      const reply = await fetch(`${origin}/__lbheartbeat__`, { headers: { 'X-Vary': before } });
      expect(reply.headers.get('vary')).toBe(after);
      expect(reply.headers.get('x-kept')).toBe('yes');
    }
  });

  test('in a sub-application only the exact paths answer, and a request has one summary', async () => {
    const { app, records, logger } = make();
    const sub = express();
    new Health(sub, { logger });
    sub.get('/inner', (_req, res) => void res.json({ id: res.locals['request_id'] }));
    app.use('/api', sub);
    new Health(app, { logger });
    app.use((_req, res) => void res.status(404).send('application'));
    const origin = await serve(app);
    const inner = await fetch(`${origin}/api/inner`, { headers: { 'X-Request-Id': 'one' } });
    expect(await inner.json()).toEqual({ id: 'one' });
    expect((await fetch(`${origin}/api/__heartbeat__`)).status).toBe(404);
    expect((await fetch(`${origin}/__heartbeat__`)).status).toBe(200);
    await until(() => records.length === 3);
    expect(records.map(({ fields }) => fields['path'])).toEqual([
      '/api/inner',
      '/api/__heartbeat__',
      '/__heartbeat__',
    ]);
  });

  test('sets res.locals.request_id unless it is set already', async () => {
    const { app, records, logger } = make();
    new Health(app, { logger });
    app.get('/', (_req, res) => void res.json({ local: res.locals['request_id'], context: requestId() }));
    const origin = await serve((req, res) => {
      const preset = req.headers['x-preset'];
      if (preset !== undefined)
        Object.assign(res, { locals: { request_id: preset === 'null' ? null : preset } });
      app(req, res);
    });
    const ask = async (headers: Record<string, string>) => (await fetch(origin, { headers })).json();
    expect(await ask({ 'X-Request-Id': 'mine' })).toEqual({ local: 'mine', context: 'mine' });
    expect(await ask({ 'X-Request-Id': 'mine', 'X-Preset': 'preset' })).toEqual({
      local: 'preset',
      context: 'mine',
    });
    expect(await ask({ 'X-Request-Id': 'mine', 'X-Preset': 'null' })).toEqual({
      local: null,
      context: 'mine',
    });
    await until(() => records.length === 3);
    expect(records.map(({ fields }) => fields['rid'])).toEqual(['mine', 'mine', 'mine']);
  });

  test("the application's own error handler answers, and the summary knows what was thrown", async () => {
    const { app, records, logger } = make();
    new Health(app, { logger });
    app.get('/teapot', (_req, _res, next) =>
      next(Object.assign(new Error('short and stout'), { status: 418 })),
    );
    app.get('/boom', () => {
      throw new Error('boom');
    });
    const onError: ErrorRequestHandler = (error, _req, res, next) => {
      if (res.headersSent) return next(error);
      res.status(error.status ?? 503).json({ mine: error.message });
    };
    app.use([onError]);
    const origin = await serve(app);
    expect(await (await fetch(`${origin}/teapot`)).json()).toEqual({ mine: 'short and stout' });
    expect(await (await fetch(`${origin}/boom`)).json()).toEqual({ mine: 'boom' });
    await until(() => records.length === 2);
    // An answer below 500 is the application's word that nothing failed.
    expect(records[0]).toMatchObject({ level: 20, fields: { code: 418, errno: 0 } });
    expect(records[0]?.msg).toBeUndefined();
    expect(records[1]).toMatchObject({ level: 40, msg: 'boom', fields: { code: 503, errno: 503 } });
  });

  test('application factory: made first, installed later, in more than one application', async () => {
    const { records, logger } = make();
    const health = new Health(undefined, { logger });
    health.check('storage', () => [new checks.Info('i', { id: 'a.I' })]);
    for (const app of [express(), express()]) {
      expect(health.initApp(app)).toBe(health);
      const origin = await serve(app);
      expect(await (await fetch(`${origin}/__heartbeat__`)).json()).toMatchObject({ status: 'info' });
    }
    await until(() => records.filter(({ logger: name }) => name === 'request.summary').length === 2);
  });
});

test('the default version path is the parent of the application root', () => {
  // A launcher in node_modules has started this: the root is the project that has it installed.
  const root = join(import.meta.dirname, '../..');
  const { versionPath, versionFallbacks } = new Health().options;
  expect([versionPath, ...versionFallbacks]).toEqual([dirname(root), root, process.cwd()]);
});
