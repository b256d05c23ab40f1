import { describe, expect, test } from 'vitest';
import { Health, noteError } from 'lifesign/fetch';
import { collect } from '../http/serving.js';

const ask = (path: string, init?: RequestInit) => new Request(`https://shop.example.com${path}`, init);

test('noteError on a request that no Health has seen does nothing', () => {
  expect(() => noteError(ask('/'), new Error('unseen'))).not.toThrow();
});

describe('wrap', () => {
  test('the handler gets what the runtime gives', async () => {
    const handler = new Health(undefined, { logger: collect().logger }).wrap(
      (request, env: { region: string }, context: { id: number }) =>
        Response.json([new URL(request.url).pathname, env.region, context.id]),
    );
    const reply = await handler(ask('/path'), { region: 'eu' }, { id: 7 });
    expect(await reply.json()).toEqual(['/path', 'eu', 7]);
    // @ts-expect-error The environment is missing.
    void handler(ask('/__lbheartbeat__'));
  });

  test('what the handler threw has its summary and is thrown on', async () => {
    const { logger, summaries } = collect();
    const health = new Health(undefined, { logger });
    const sync = health.wrap(() => {
      throw new Error('at once');
    });
    expect(() => sync(ask('/a'))).toThrow('at once');
    const later = health.wrap(async () => Promise.reject(new Error('later')));
    await expect(later(ask('/b'))).rejects.toThrow('later');
    const caught = health.wrap((request) => {
      noteError(request, new Error('caught'));
      return new Response(null, { status: 503 });
    });
    void caught(ask('/c'));
    expect(
      summaries().map(({ msg, level, fields }) => [msg, level, fields['code'], fields['errno']]),
    ).toEqual([
      ['at once', 40, 500, 500],
      ['later', 40, 500, 500],
      ['caught', 40, 503, 503],
    ]);
  });
});

describe('new Health(app)', () => {
  test('takes an object with a fetch method, whose `this` is kept', async () => {
    const app = {
      greeting: 'hello',
      async fetch(_request: Request) {
        return new Response(this.greeting);
      },
    };
    new Health(app, { logger: collect().logger });
    expect(await (await app.fetch(ask('/'))).text()).toBe('hello');
    expect((await app.fetch(ask('/__heartbeat__'))).status).toBe(200);
  });
});

test('an application that makes its fetch anew, as Elysia does, is refused with what to write', async () => {
  const routes = ['/'];
  class Elysia {
    get fetch() {
      const known = new Set(routes);
      return ({ url }: Request) =>
        new Response(null, { status: known.has(new URL(url).pathname) ? 200 : 404 });
    }
  }
  const app = new Elysia();
  expect(() => new Health(app)).toThrow(expect.objectContaining({ code: 'LIFESIGN_APP' }));
  expect(() => new Health(app)).toThrow('health.wrap((request) => app.fetch(request))');

  const fetch = new Health(undefined, { summary: false }).wrap((request) => app.fetch(request));
  routes.push('/late');
  expect((await fetch(new Request('http://localhost/late'))).status).toBe(200);
  expect((await fetch(new Request('http://localhost/__lbheartbeat__'))).status).toBe(200);
});
