import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { checks, Health, noteError, requestId } from 'lifesign/fetch';
import { collect } from '../http/serving.js';

const ask = (path: string, init?: RequestInit) => new Request(`https://shop.example.com${path}`, init);

describe('respond', () => {
  test('a Response for the three endpoints, undefined for the rest', async () => {
    const { logger, summaries } = collect();
    const health = new Health(undefined, { logger });
    health.versionCallback(async () => ({ commit: 'abc' }));
    health.check('storage', async ({ name, signal }) => [
      new checks.Info(`${name} ${signal.aborted}`, { id: 'a.I1' }),
    ]);
    health.check('disk', () => []);
    expect(health.respond(ask('/'))).toBeUndefined();
    expect(await (await health.respond(ask('/__version__')))?.text()).toBe('{"commit":"abc"}');
    const heartbeat = await health.respond(ask('/__heartbeat__'));
    expect(await heartbeat?.json()).toMatchObject({
      status: 'info',
      checks: { storage: 'info', disk: 'ok' },
    });
    const options = await health.respond(ask('/__lbheartbeat__', { method: 'OPTIONS' }));
    expect(options?.status).toBe(204);
    expect(options?.body).toBeNull();
    expect(summaries().map(({ fields }) => fields['path'])).toEqual([
      '/__version__',
      '/__heartbeat__',
      '/__lbheartbeat__',
    ]);
  });

  test('/__lbheartbeat__ is answered at once, without a promise', () => {
    const health = new Health(undefined, { logger: collect().logger });
    expect(health.respond(ask('/__lbheartbeat__'))).toBeInstanceOf(Response);
  });
});

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

  test('a handler that gives nothing has taken the connection over and has no summary', () => {
    const { logger, records } = collect();
    const handler = new Health(undefined, { logger }).wrap((_request) => undefined);
    expect(handler(ask('/socket'))).toBeUndefined();
    expect(records).toEqual([]);
  });

  test('two requests at once keep their ids apart', async () => {
    const handler = new Health(undefined, { logger: collect().logger }).wrap(async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return Response.json([requestId(), requestId(request)]);
    });
    const replies = ['one', 'two'].map(async (id) =>
      (await handler(ask('/', { headers: { 'X-Request-Id': id } }))).json(),
    );
    expect(await Promise.all(replies)).toEqual([
      ['one', 'one'],
      ['two', 'two'],
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

  test('misuse is refused', () => {
    for (const odd of [[], 1, { fetch: 'no' }, () => new Response()]) {
      // Wrong on purpose: callers in JavaScript have no compiler.
      expect(() => new Health(odd as unknown as { fetch(): Response })).toThrow(
        expect.objectContaining({ code: 'LIFESIGN_APP' }),
      );
    }
    // @ts-expect-error A handler has to be a function.
    expect(() => new Health().wrap({})).toThrow(expect.objectContaining({ code: 'LIFESIGN_APP' }));
  });
});

/** Runs a module where there is nothing of Node: an import of it fails, and so does the use of its globals. */
async function inWorker(source: string, globals: Record<string, unknown> = {}): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    format: 'iife',
    platform: 'neutral',
    // Of features, which are off: never loaded.
    external: ['node:*'],
    write: false,
  });
  const web = { Request, Response, Headers, ReadableStream, URL, TextEncoder, TextDecoder, DOMException };
  const others = {
    AbortController,
    AbortSignal,
    performance,
    crypto,
    queueMicrotask,
    setTimeout,
    clearTimeout,
  };
  const context = createContext({ ...web, ...others, ...globals });
  runInContext(outputFiles[0]?.text ?? '', context);
  return context['result'];
}

interface Line {
  readonly Type: string;
  readonly Fields: { readonly msg: string };
}

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

describe('a runtime without anything of Node', () => {
  test('loads, answers, logs to the console, and says what it cannot do', async () => {
    const lines: Line[] = [];
    const log = (text: string) => lines.push(...text.split('\n').map((line) => JSON.parse(line) as Line));
    const replies = await inWorker(
      `
      import { Health, checks, requestId } from './src/frameworks/fetch.ts';
      const health = new Health();
      health.check('storage', async () => [new checks.Warning('Slow', { id: 'a.W1' })]);
      const handler = health.wrap((request) => Response.json([requestId() ?? null, requestId(request)]));
      const ask = async (path) => {
        const reply = await handler(new Request('https://x' + path, { headers: { 'X-Request-Id': 'w-1' } }));
        return [reply.status, await reply.text()];
      };
      globalThis.result = (async () => {
        const replies = [];
        for (const path of ['/__lbheartbeat__', '/__heartbeat__', '/__version__', '/rid']) replies.push(await ask(path));
        health.versionCallback(() => ({ commit: 'abc' }));
        replies.push(await ask('/__version__'));
        await new Promise((resolve) => setTimeout(resolve, 0));
        return replies;
      })();
      `,
      { console: { log } },
    );
    expect(replies).toEqual([
      [200, '{"status":"ok"}'],
      [500, expect.stringContaining('"a.W1":"Slow"')],
      [500, '{"error":"version.json cannot be read on this runtime"}'],
      [200, '[null,"w-1"]'],
      [200, '{"commit":"abc"}'],
    ]);
    expect(lines.find(({ Type }) => Type === 'health')?.Fields.msg).toContain('health.versionCallback');
    expect(lines.filter(({ Type }) => Type === 'request.summary')).toHaveLength(5);
  });

  test('a check that hangs is given up, though timers end with the request that set them', async () => {
    const timers: NodeJS.Timeout[] = [];
    const replies = await inWorker(
      `
      import { Health } from './src/frameworks/fetch.ts';
      const health = new Health(undefined, { timeout: 50, logger: { log() {} } });
      let runs = 0;
      health.check('odd', () => ((runs += 1) === 1 ? Promise.resolve() : new Promise(() => {})));
      globalThis.result = (async () => {
        const replies = [];
        for (let time = 0; time < 2; time += 1) {
          const reply = await health.respond(new Request('https://x/__heartbeat__'));
          replies.push([reply.status, await reply.text()]);
          requestEnds();
        }
        return replies;
      })();
      `,
      {
        setTimeout: (run: () => void, ms: number) => timers.push(setTimeout(run, ms)) - 1,
        clearTimeout: (index: number) => clearTimeout(timers[index]),
        requestEnds: () => {
          for (const timer of timers) clearTimeout(timer);
        },
      },
    );
    expect(replies).toEqual([
      [200, '{"status":"ok","checks":{"odd":"ok"},"details":{}}'],
      [500, expect.stringContaining('health.E012')],
    ]);
  });
});
