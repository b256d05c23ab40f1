import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { describe, expect, test, vi } from 'vitest';
import { Health, requestId } from 'lifesign/hono';
import { collect } from '../http/serving.js';

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
