// The build for edge workers, as their bundlers take it, on a runtime that has nothing of Node.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { buildSync } from 'esbuild';
import { describe, expect, inject, test } from 'vitest';

const cwd = inject('consumer');
const installed = join(cwd, 'node_modules/lifesign');
const conditions = ['workerd', 'worker', 'edge-light'];

/** What a worker returns that is bundled with a condition and run in a realm without Node. */
async function ran(condition: string, code: string, more: object = {}): Promise<unknown> {
  const built = buildSync({
    stdin: { contents: code, resolveDir: cwd },
    bundle: true,
    format: 'iife',
    globalName: 'worker',
    platform: 'neutral',
    conditions: [condition],
    write: false,
  });
  const text = built.outputFiles[0]?.text ?? '';
  expect(/\b(?:require|import)\(["'`]/.exec(text)).toBeNull();
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const web = { AbortController, AbortSignal, Headers, performance, Request, Response, TextEncoder, URL };
  const own = { ...web, TextDecoder, btoa, clearTimeout, crypto, fetch, ReadableStream, setTimeout };
  const context = createContext({ ...own, lines, console: { log, error: log }, ...more });
  return JSON.parse(await runInContext(`${text};worker.run().then(JSON.stringify)`, context));
}

describe.each(conditions)('%s', (condition) => {
  test('answers, logs and hides secrets', async () => {
    const found = await ran(
      condition,
      `import { checks, Health } from 'lifesign/fetch';
      export async function run() {
        const health = new Health();
        health.check('storage', async () => [new checks.Warning('password=hunter2', { id: 'acme.W001' })]);
        health.check('thrown', () => { throw new Error('token=hunter2hunter2'); });
        health.check('search', checks.http('http://127.0.0.1:1/', { warn: 500 }));
        health.versionCallback(() => ({ version: '1.2.3' }));
        const handle = health.wrap(() => new Response('Hello'));
        const answers = [];
        for (const path of ['/__heartbeat__', '/__version__', '/__lbheartbeat__', '/']) {
          const answer = await handle(new Request('http://localhost' + path));
          answers.push([answer.status, await answer.text()]);
        }
        await new Promise((resolve) => setTimeout(resolve, 10));
        return { answers, lines };
      }`,
    );
    expect(found).toEqual({
      answers: [
        [500, expect.stringContaining('"checks":{"storage":"warning","thrown":"error","search":"error"}')],
        [200, '{"version":"1.2.3"}'],
        [200, '{"status":"ok"}'],
        [200, 'Hello'],
      ],
      lines: expect.arrayContaining([expect.stringContaining('"Type":"request.summary"')]),
    });
    expect(JSON.stringify(found)).not.toContain('hunter2');
    expect(JSON.stringify(found)).toContain('password=***');
  });
});

const refuse = (): never => {
  throw new Error('NotCapable: Requires env access');
};
/** Each property throws when it is read, as those of a process that the runtime only pretends to have. */
const refusing = (target: object, ...allowed: readonly PropertyKey[]): object =>
  new Proxy(target, {
    get: (object, key) => (allowed.includes(key) ? Reflect.get(object, key) : refuse()),
    ownKeys: refuse,
    has: refuse,
    getOwnPropertyDescriptor: refuse,
  });
const navigator = { userAgent: 'Cloudflare-Workers' };

test.each([
  ['an empty process', { process: {} }],
  ["Next's Edge runtime", { EdgeRuntime: 'edge-runtime', process: refusing({ env: {} }, 'env') }],
  ['a process that throws', { process: refusing({}) }],
  ['Cloudflare without node:os', { navigator, process: { env: {}, getBuiltinModule: () => undefined } }],
  ['Cloudflare with all of Node', { navigator, process }],
])('answers and logs with %s', async (_name, globals) => {
  const code = `import { checks, Health } from 'lifesign/fetch';
    export async function run() {
      const health = new Health();
      health.check('storage', async () => [new checks.Warning('Slow', { id: 'a.W' })]);
      const answer = await health.respond(new Request('http://localhost/__heartbeat__'));
      return [answer.status, ...lines.map((line) => JSON.parse(line).Type)];
    }`;
  expect(await ran('workerd', code, globals)).toEqual([500, 'health.checks', 'request.summary']);
});

test('what is absent throws a coded error that says so', async () => {
  const found = await ran(
    'workerd',
    `import { checks, Health } from 'lifesign/fetch';
        const codeOf = (call) => { try { call(); return 'none'; } catch (error) { return error.code; } };
    export async function run() {
      const options = [
        { db: {} }, { redis: {} }, { migrations: {} }, { broker: {} }, { page: true }, { probes: true }, { metrics: true },
        { otel: true }, { healthPort: 8001 }, { watchdog: true }, { keepAlive: '65s' }, { every: '30s' }, { drain: true },
      ];
      const objects = [{ page: { path: '/p' } }, { probes: { live: '/l' } }, { metrics: { path: '/m' } }, { watchdog: { port: 1 } }];
      const off = { page: false, probes: false, metrics: false, watchdog: false, otel: false, drain: false, summary: {} };
      return {
        checks: Object.fromEntries(Object.keys(checks).map((name) => [name, codeOf(() => checks[name]('http://a/'))])),
        options: Object.fromEntries(options.map((each) => [Object.keys(each)[0], codeOf(() => new Health(each))])),
        objects: objects.map((each) => codeOf(() => new Health(each))),
        off: codeOf(() => new Health(off)),
        unknown: codeOf(() => new Health({ prbes: true })),
      };
    }`,
  );
  const { checks } = (await import(join(installed, 'dist/index.js'))) as { checks: Record<string, unknown> };
  const present: Readonly<Record<string, unknown>> = {
    http: 'none',
    isCheckMessage: 'none',
    ...Object.fromEntries(['Critical', 'Debug', 'Error', 'Info', 'Warning'].map((name) => [name, undefined])),
  };
  const codes = (name: string) => (name in present ? present[name] : 'LIFESIGN_EDGE');
  expect(found).toEqual({
    checks: Object.fromEntries(Object.keys(checks).map((name) => [name, codes(name)])),
    options: {
      ...Object.fromEntries(
        'db redis migrations broker page probes metrics otel keepAlive every drain'
          .split(' ')
          .map((name) => [name, 'LIFESIGN_EDGE']),
      ),
      healthPort: 'LIFESIGN_OPTION_INVALID',
      watchdog: 'LIFESIGN_WATCHDOG_RUNTIME',
    },
    objects: ['LIFESIGN_EDGE', 'LIFESIGN_EDGE', 'LIFESIGN_EDGE', 'LIFESIGN_WATCHDOG_RUNTIME'],
    off: 'none',
    unknown: 'LIFESIGN_OPTION_UNKNOWN',
  });
});

test('a misspelled variable is reported, of what is there', async () => {
  const found = await ran(
    'edge-light',
    `globalThis.process = { env: { HEALTH_TIMEOT: '1', HEALTH_PROBES_START_WHEN: 'checks' } };
    const loaded = import('lifesign/fetch');
    export async function run() {
      const { Health } = await loaded;
      new Health();
      return lines.map((line) => JSON.parse(line).Fields.msg);
    }`,
  );
  expect(found).toEqual(['HEALTH_TIMEOT is set, but nothing reads it. Did you mean HEALTH_TIMEOUT?']);
});

interface Target {
  readonly import: string;
  readonly workerd?: { readonly default: string };
}
const { exports: exported } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, Target>>;
};
const edge = Object.entries(exported).filter(([, target]) => target.workerd !== undefined);

test.each(edge)('%s has the same names as on Node', async (_subpath, target) => {
  const names = async (file = '') => Object.keys(await import(join(installed, file))).toSorted();
  expect(await names(target.workerd?.default)).toEqual(await names(target.import));
});

test('the conditions are those of the three entries that need nothing of Node', () => {
  expect(edge.map(([subpath]) => subpath)).toEqual(['.', './fetch', './hono']);
  for (const [, target] of edge) {
    for (const condition of conditions) expect(Reflect.get(target, condition)).toEqual(target.workerd);
  }
});
