import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpContext } from '@adonisjs/core/http';
import { BaseCheck, Result } from '@adonisjs/core/health';
import type { HealthCheckResult } from '@adonisjs/core/types/health';
import { afterEach, describe, expect, test } from 'vitest';
import type { LogRecord } from 'lifesign';
import { type AdonisSettings, checks, Health } from 'lifesign/adonisjs';
import { signals } from 'lifesign/signals';
import { adonisApp, startAdonis } from '../conformance/hosts/adonisjs.js';
import { listen } from '../conformance/host.js';

let records: LogRecord[] = [];
const leftovers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  records = [];
  for (const clean of leftovers.splice(0).toReversed()) await clean();
});

const base: AdonisSettings = {
  BASE_DIR: tmpdir(),
  DEBUG: true,
  HEALTH_CHECKS: [],
  logger: { log: (record: LogRecord) => void records.push(record) },
};

async function start(settings: Partial<AdonisSettings>, database?: object) {
  const app = await adonisApp({ ...base, ...settings }, 'web', database === undefined ? {} : { database });
  leftovers.push(() => app.terminate());
  const node = await startAdonis(app);
  const running = await listen(node, await app.container.make(Health), records);
  leftovers.push(() => running.close());
  return { app, origin: running.origin };
}

async function heartbeat(origin: string) {
  const reply = await fetch(`${origin}/__heartbeat__`);
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

const failing = () => [new checks.Error('No storage', { id: 'acme.E001' })];
const ok = (text: string) => Result.ok(text) as HealthCheckResult;
const warning = (text: string) => Result.warning(text) as HealthCheckResult;
const failed = (text: string) => Result.failed(text) as HealthCheckResult;

type Entry = Extract<AdonisSettings['HEALTH_CHECKS'], readonly unknown[]>[number];

/** The status of one check and what it says. */
async function messagesOf(entry: Entry, name: string) {
  const { body } = await heartbeat((await start({ HEALTH_CHECKS: [entry] })).origin);
  const { [name]: status } = body['checks'] as Record<string, string>;
  const details = body['details'] as Record<string, { messages: unknown }>;
  return [status, details[name]?.messages];
}

describe('a check of @adonisjs/core/health', () => {
  class Disk extends BaseCheck {
    override name = 'disk';
    result = (): HealthCheckResult => ok('plenty');
    override async run() {
      return this.result();
    }
  }
  const diskThat = (result: () => HealthCheckResult) => Object.assign(new Disk(), { result });

  test('its outcomes are ours', async () => {
    expect(await messagesOf(new Disk(), 'disk')).toEqual(['ok', undefined]);
    expect(
      await messagesOf(
        diskThat(() => warning('80 % full')),
        'disk',
      ),
    ).toEqual(['warning', { 'health.E020': '80 % full' }]);
    expect(
      await messagesOf(
        diskThat(() => failed('full')),
        'disk',
      ),
    ).toEqual(['error', { 'health.E020': 'full' }]);
  });

  test('one that throws is health.E011, and a secret in its text is hidden', async () => {
    const thrown = diskThat(() => {
      throw new Error('no disk');
    });
    expect(await messagesOf(thrown, 'disk')).toMatchObject(['error', { 'health.E011': expect.any(String) }]);
    const leaky = diskThat(() => failed('postgres://me:hunter2@db refused'));
    expect(JSON.stringify(await messagesOf(leaky, 'disk'))).not.toContain('hunter2');
  });

  test('is cached as long as it asks', async () => {
    let runs = 0;
    const counted = diskThat(() => ok(`run ${(runs += 1)}`)).cacheFor('1 hour');
    const { origin } = await start({ HEALTH_CHECKS: [counted] });
    await heartbeat(origin);
    await heartbeat(origin);
    expect(runs).toBe(1);
  });
});

test('a HealthChecks behind an import path goes by the name of its export', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lifesign-adonis-'));
  leftovers.push(() => rm(directory, { recursive: true }));
  const report = "{ checks: [{ name: 'disk', status: 'warning', message: '80 % full' }] }";
  await writeFile(
    join(directory, 'health.mjs'),
    `export const healthChecks = { run: async () => (${report}) };`,
  );
  const { origin } = await start({ BASE_DIR: directory, HEALTH_CHECKS: ['./health.mjs.healthChecks'] });
  expect((await heartbeat(origin)).body).toMatchObject({
    details: { healthChecks: { messages: { 'health.E020': 'disk: 80 % full' } } },
  });
});

describe('the default checks', () => {
  test('without a database: health.E003 says which setting to change', async () => {
    const { origin } = await start({ HEALTH_CHECKS: undefined });
    expect((await heartbeat(origin)).body).toMatchObject({
      checks: { check_database_connected: 'error', check_migrations_applied: 'info' },
      details: {
        check_database_connected: { messages: { 'health.E003': expect.stringContaining('db') } },
      },
    });
  });
});

describe('the provider', () => {
  test('without config/health.ts is refused at start', async () => {
    const app = await adonisApp(undefined as unknown as AdonisSettings);
    await expect(startAdonis(app)).rejects.toMatchObject({ code: 'LIFESIGN_BASE_DIR' });
  });

  test('drains before the server is closed', async () => {
    const { app, origin } = await start({ drain: { delay: 300, failLbheartbeat: true } });
    const ended = app.terminate();
    await expect.poll(() => records.some(({ msg }) => msg?.startsWith('Draining (terminating)'))).toBe(true);
    expect((await fetch(`${origin}/__lbheartbeat__`)).status).toBe(503);
    await ended;
    await expect(fetch(`${origin}/__lbheartbeat__`)).rejects.toThrow();
  });
});

describe('signals', () => {
  test('through the emitter, the health object, and without holding either', async () => {
    const seen: string[] = [];
    const { app, origin } = await start({ HEALTH_CHECKS: [failing] });
    const emitter = await app.container.make('emitter');
    emitter.on('lifesign:heartbeatFailed', ({ status }) => void seen.push(`emitter ${status}`));
    const listener = ({ status }: { status: string }) => seen.push(`module ${status}`);
    signals.on('heartbeatFailed', listener);
    (await app.container.make(Health)).on('heartbeatFailed', ({ status }) => seen.push(`health ${status}`));
    await heartbeat(origin);
    signals.off('heartbeatFailed', listener);
    await expect.poll(() => seen.toSorted()).toEqual(['emitter error', 'health error', 'module error']);
  });
});

describe('half an installation', () => {
  test('the middleware without the provider: the application works, a probe is a coded error', async () => {
    const app = await adonisApp(base, 'web', { without: 'provider' });
    leftovers.push(() => app.terminate());
    const thrown: unknown[] = [];
    const server = await app.container.make('server');
    server.errorHandler(async () => ({
      default: class {
        async report() {}
        async handle(error: unknown, { response }: HttpContext) {
          thrown.push(error);
          response.status(500).send('');
        }
      },
    }));
    const node = await startAdonis(app);
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
    leftovers.push(async () => node.close());
    const origin = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
    expect((await fetch(origin)).status).toBe(200);
    expect(thrown).toEqual([]);
    expect((await fetch(`${origin}/__heartbeat__`)).status).toBe(500);
    expect(thrown).toEqual([expect.objectContaining({ code: 'LIFESIGN_PROVIDER' })]);
  });
});

describe('logger', () => {
  /** An application with two loggers, and what each of them wrote. */
  async function logging(given: AdonisSettings['logger']) {
    const lines: Record<string, string[]> = { app: [], audit: [] };
    const loggers = Object.fromEntries(
      Object.entries(lines).map(([name, written]) => [
        name,
        // Spelt as AdonisJS 6 has it; 7 takes both.
        { enabled: true, desination: { write: (line: string) => void written.push(line) } },
      ]),
    );
    const app = await adonisApp({ ...base, HEALTH_CHECKS: [failing], logger: given }, 'test', {
      loggers,
    });
    leftovers.push(() => app.terminate());
    await app.start(() => {});
    await (await app.container.make(Health)).heartbeat();
    return Object.keys(lines).filter((name) => lines[name]?.join('').includes('acme.E001: No storage'));
  }

  test.each<[string, AdonisSettings['logger'], readonly string[]]>([
    ['the name of a logger', 'audit', ['audit']],
    [
      'a function that returns one of its loggers',
      async (app) => (await app.container.make('logger')).use('audit'),
      ['audit'],
    ],
    ['a function that returns false', () => false, []],
  ])('%s', async (_what, given, expected) => {
    expect(await logging(given)).toEqual(expected);
  });

  test.each<[string, unknown, string, string]>([
    ['a name', 'none', 'LIFESIGN_CONNECTION', 'config/logger.ts has only these names: app, audit'],
    [
      'a function that returns nothing',
      () => undefined,
      'LIFESIGN_CONNECTION',
      'it must return a logger, its name',
    ],
    ['a number', 5, 'LIFESIGN_OPTION_INVALID', 'logger is 5'],
  ])('is refused at start: %s', async (_what, given, code, message) => {
    await expect(logging(given as AdonisSettings['logger'])).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});

test('an application whose settings were refused terminates all the same', async () => {
  const app = await adonisApp({ ...base, HEALTH_CHECKS: ['./gone.js.storage'] });
  await expect(startAdonis(app)).rejects.toMatchObject({ code: 'LIFESIGN_IMPORT_PATH' });
  await app.terminate();
});
