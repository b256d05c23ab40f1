import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { stream } from 'hono/streaming';
import { describe, expect, test, vi } from 'vitest';
import { Health, requestId } from 'lifesign/hono';
import { collect, listening, until } from '../http/serving.js';

test('answers before every middleware, whether the Health is made first or last', async () => {
  for (const order of ['first', 'last']) {
    const app = new Hono();
    const install = () => new Health(app, { logger: collect().logger });
    if (order === 'first') install();
    app.use((c) => Promise.resolve(c.text('no entry', 401)));
    app.get('/__heartbeat__', (c) => c.text('mine'));
    if (order === 'last') install();
    expect((await app.request('/__lbheartbeat__')).status).toBe(200);
    expect(await (await app.request('/__heartbeat__')).json()).toMatchObject({ status: 'ok' });
    expect((await app.request('/')).status).toBe(401);
  }
});

test('the environment and the execution context reach the handlers', async () => {
  const app = new Hono<{ Bindings: { REGION: string } }>();
  new Health(app, { logger: collect().logger });
  app.get('/', (c) => c.json({ region: c.env.REGION, context: c.executionCtx.waitUntil.name }));
  const context = { waitUntil() {}, passThroughOnException() {}, props: {} };
  const reply = await app.fetch(new Request('http://x/'), { REGION: 'eu' }, context);
  expect(await reply.json()).toEqual({ region: 'eu', context: 'waitUntil' });
});

describe('errors', () => {
  test('reach the summary, and the handler of the application answers, set before or after', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    for (const order of ['before', 'after', 'none']) {
      const { logger, summaries } = collect();
      const app = new Hono();
      if (order === 'before') app.onError((error, c) => c.text(error.message, 503));
      new Health(app, { logger });
      if (order === 'after') app.onError((error, c) => c.text(error.message, 503));
      app.use('/deep/*', async (_c, next) => next());
      app.get('/deep/boom', async () => Promise.reject(new Error('deep')));
      app.get('/boom', () => {
        throw new Error('shallow');
      });
      app.get('/gone', () => {
        throw new HTTPException(410, { message: 'gone' });
      });
      const expected = order === 'none' ? 500 : 503;
      expect((await app.request('/boom')).status).toBe(expected);
      expect((await app.request('/deep/boom')).status).toBe(expected);
      if (order === 'none') expect((await app.request('/gone')).status).toBe(410);
      expect(summaries().map(({ msg, fields }) => [msg, fields['code']])).toEqual([
        ['shallow', expected],
        ['deep', expected],
        ...(order === 'none' ? [[undefined, 410]] : []),
      ]);
    }
    // Hono's own handler prints what it gets.
    expect(print).toHaveBeenCalledTimes(2);
    print.mockRestore();
  });

  test('what is no Error is thrown on, as Hono does, with its summary', async () => {
    const { logger, summaries } = collect();
    const app = new Hono();
    new Health(app, { logger });
    app.get('/', () => Promise.reject('a string'));
    await expect(app.request('/')).rejects.toBe('a string');
    expect(summaries()[0]).toMatchObject({ msg: 'a string', fields: { errno: 500 } });
  });
});

test('a stream has its summary when the response is made, one per request', async () => {
  const { logger, summaries } = collect();
  const app = new Hono();
  new Health(app, { logger });
  app.get('/stream', (c) =>
    stream(c, async (out) => {
      await out.write('a');
      await out.sleep(20);
      await out.write('b');
    }),
  );
  const reply = await app.request('/stream');
  expect(summaries()).toHaveLength(1);
  expect(await reply.text()).toBe('ab');
  expect(summaries()).toHaveLength(1);
});

test('an application inside another: one request, one summary, one id', async () => {
  const { logger, summaries } = collect();
  const inner = new Hono();
  new Health(inner, { logger });
  inner.get('/rid', (c) => c.json([requestId(), requestId(c.req.raw)]));
  const app = new Hono();
  new Health(app, { logger });
  app.mount('/inner', inner.fetch, { replaceRequest: false });
  app.all('/rid', (c) => inner.fetch(c.req.raw));
  const reply = await app.request('/rid', { headers: { 'X-Request-Id': 'h-1' } });
  expect(await reply.json()).toEqual(['h-1', 'h-1']);
  expect(summaries()).toHaveLength(1);
});

test('on @hono/node-server', async () => {
  const { logger, summaries } = collect();
  const app = new Hono();
  new Health(app, { logger });
  app.post('/echo', async (c) => c.json({ body: await c.req.json(), rid: requestId() ?? null }));
  const server = await new Promise<Parameters<typeof listening>[0]>((resolve) => {
    const made = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () =>
      made.close(() => resolve(made)),
    );
  });
  const origin = await listening(server);
  const reply = await fetch(`${origin}/echo`, {
    method: 'POST',
    body: '{"a":1}',
    headers: { 'X-Request-Id': 'h-2' },
  });
  expect(await reply.json()).toEqual({ body: { a: 1 }, rid: 'h-2' });
  expect((await fetch(`${origin}/__heartbeat__`)).headers.get('content-length')).toBe('40');
  await until(() => summaries().length === 2);
});
