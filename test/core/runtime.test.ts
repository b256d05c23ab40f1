import { join } from 'node:path';
import { createContext, Script } from 'node:vm';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import type * as runtime from '../../src/core/runtime.js';
import type * as fetching from 'lifesign/fetch';

const root = join(import.meta.dirname, '../..');
const { outputFiles } = buildSync({
  absWorkingDir: root,
  stdin: {
    contents: "export * from './src/frameworks/fetch.ts'; export * as runtime from './src/core/runtime.ts';",
    resolveDir: root,
  },
  bundle: true,
  write: false,
  format: 'iife',
  globalName: 'lifesign',
  platform: 'neutral',
});
const script = new Script(`${outputFiles[0]?.text}; lifesign`);

/** What every runtime has of the web. */
const names = [
  'Request',
  'Response',
  'performance',
  'crypto',
  'TextEncoder',
  'TextDecoder',
  'AbortController',
  'AbortSignal',
  'DOMException',
  'URL',
] as const;
const web = Object.fromEntries(names.map((name) => [name, globalThis[name]]));
const timers = { setTimeout, clearTimeout };

type Loaded = typeof fetching & { readonly runtime: typeof runtime };

/** What a worker loads, in a realm that has only what `globals` says, and what it writes to its console. */
function onRuntime(globals: Readonly<Record<string, unknown>>): { loaded: Loaded; lines: string[] } {
  const lines: string[] = [];
  const console = { log: (line: string) => void lines.push(line) };
  const loaded: Loaded = script.runInContext(createContext({ ...web, ...timers, console, ...globals }));
  return { loaded, lines };
}

const refuse = (): never => {
  throw new Error('NotCapable: Requires env access');
};
/** Each property throws when it is read, as those of a process that the runtime only pretends to have. */
const refusing = <T extends object>(target: T, ...allowed: readonly (string | symbol)[]): T =>
  new Proxy(target, {
    get: (object, key) => (allowed.includes(key) ? Reflect.get(object, key) : refuse()),
    ownKeys: refuse,
    has: refuse,
    getOwnPropertyDescriptor: refuse,
  });

const workers: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['a worker without a process', {}],
  ['a worker with an empty process', { process: {} }],
  ["Next's Edge runtime", { EdgeRuntime: 'edge-runtime', process: refusing({ env: {} }, 'env') }],
  ['an edge runtime whose process throws', { process: refusing({}) }],
  [
    'Cloudflare without node:os',
    {
      navigator: { userAgent: 'Cloudflare-Workers' },
      process: { env: {}, getBuiltinModule: () => undefined },
    },
  ],
  ['Cloudflare with all of Node', { navigator: { userAgent: 'Cloudflare-Workers' }, process }],
];

describe.each(workers)('%s', (_name, globals) => {
  test('answers, and its log lines go to the console', async () => {
    const { loaded, lines } = onRuntime(globals);
    expect(loaded.runtime.timersEndWithRequest).toBe(true);
    const health = new loaded.Health();
    health.check('storage', async () => [new loaded.checks.Warning('Slow', { id: 'a.W' })]);
    const answer = await health.respond(new Request('http://localhost/__heartbeat__'));
    expect(answer?.status).toBe(500);
    expect(lines.map((line) => JSON.parse(line).Type)).toEqual(['health.checks', 'request.summary']);
  });
});

test('Deno that allows one variable: the others are unset, the working directory and the host are unknown', () => {
  const denied = Object.create(process, {
    env: { value: refusing({ PORT: '4321' }, 'PORT') },
    cwd: { value: refuse },
    getBuiltinModule: {
      value: (name: string) => (name === 'node:os' ? { hostname: refuse } : process.getBuiltinModule(name)),
    },
  });
  const { loaded } = onRuntime({ Deno: {}, process: denied, setImmediate });
  expect(loaded.runtime.timersEndWithRequest).toBe(false);
  expect(loaded.listenOptions().port).toBe(4321);
  const { options } = new loaded.Health(undefined, { summary: false });
  expect([options.timeout, options.versionPath]).toEqual([5000, '/']);
  expect(Object.keys(loaded.runtime.environment()).length).toBe(0);
  expect(loaded.runtime.hostName()).toBe('');
});
