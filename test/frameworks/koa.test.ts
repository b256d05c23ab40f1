import { createServer } from 'node:http';
import Koa3 from 'koa';
import Koa2 from 'koa2';
import { describe, expect, test } from 'vitest';
import { Health } from 'lifesign/koa';
import { collect, listening, until } from '../http/serving.js';

describe.each([
  ['Koa 2', Koa2],
  ['Koa 3', Koa3],
])('%s', (_name, Koa) => {
  test('what was thrown reaches the summary and the error events of the application', async () => {
    const { logger, summaries } = collect();
    const app = new Koa();
    new Health(app, { logger });
    const heard: unknown[] = [];
    app.on('error', (error: Error) => heard.push(error.message));
    app.use(async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        if (ctx.path !== '/caught') throw error;
        ctx.status = 503;
        ctx.body = 'caught';
        // The convention of Koa for middleware that catches.
        ctx.app.emit('error', error, ctx);
      }
    });
    app.use((ctx) => {
      if (ctx.path === '/missing') ctx.throw(404, 'nothing here');
      throw new Error(`from ${ctx.path}`);
    });
    const origin = await listening(createServer(app.callback()));
    for (const [index, path] of ['/caught', '/thrown', '/missing'].entries()) {
      await fetch(origin + path);
      await until(() => summaries().length === index + 1);
    }
    expect(summaries().map(({ msg, level, fields }) => [msg, level, fields['code']])).toEqual([
      ['from /caught', 40, 503],
      ['from /thrown', 40, 500],
      [undefined, 20, 404],
    ]);
    expect(heard).toEqual(['from /caught', 'from /thrown', 'nothing here']);
  });

  test('other events of the application, and errors without a context, are as ever', () => {
    const app = new Koa();
    new Health(app, { logger: collect().logger });
    const heard: unknown[] = [];
    app.on('custom', (...args: unknown[]) => heard.push(args));
    app.on('error', (...args: unknown[]) => heard.push(args));
    const error = new Error('in the background');
    expect([app.emit('custom', 1, 2), app.emit('error', error), app.emit('nobody')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(heard).toEqual([[1, 2], [error]]);
  });
});
