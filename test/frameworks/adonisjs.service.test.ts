import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApplicationService } from '@adonisjs/core/types';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type AdonisSettings, Health } from 'lifesign/adonisjs';
import { adonisApp } from '../conformance/hosts/adonisjs.js';
import { canStart, startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';

const base: AdonisSettings = { BASE_DIR: tmpdir(), logger: { log() {} }, timeout: 2000 };
const redisCheck = 'lifesign/checks.checkRedisConnected';

const leftovers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of leftovers.splice(0).toReversed()) await clean();
});

type Parts = Parameters<typeof adonisApp>[2];

async function start(settings: Partial<AdonisSettings>, parts: Parts = {}) {
  const app = await adonisApp({ ...base, ...settings }, 'test', parts);
  leftovers.push(() => app.terminate());
  await app.start(() => {});
  const health = await app.container.make(Health);
  /** Each check with its status, or with the ids of what it says. */
  const beat = async () =>
    Object.fromEntries(
      (await health.heartbeat()).results.map(({ name, status, messages }) => [
        name,
        messages.length === 0 ? status : messages.map(({ id }) => id).join(),
      ]),
    );
  const until = (expected: object) => expect.poll(beat, { timeout: 30_000, interval: 100 }).toEqual(expected);
  return { app, beat, until };
}

describe.skipIf(!canStart('redis'))('@adonisjs/redis', () => {
  let server: RunningService;
  let other: RunningService;
  beforeAll(async () => {
    [server, other] = await Promise.all([startService('redis'), startService('redis')]);
  });
  afterAll(async () => {
    await server?.stop();
    await other?.stop();
  });

  const connectionTo = ({ port }: RunningService) => ({
    host: '127.0.0.1',
    port,
    // As the file that @adonisjs/redis writes has it, only faster: the client gives up and ends.
    retryStrategy: (times: number) => (times > 3 ? null : times * 20),
  });
  const redis = () => ({
    connection: 'main',
    connections: { main: connectionTo(server), cache: connectionTo(other) },
  });

  const service = (app: ApplicationService) => app.container.make('redis');
  const ways: readonly (readonly [string, Partial<AdonisSettings>])[] = [
    ['nothing, the check listed', { HEALTH_CHECKS: [redisCheck] }],
    ['a name', { redis: 'main' }],
    [
      'a function that returns a connection',
      { redis: async (app) => (await service(app)).connection('main') },
    ],
    [
      'a function that imports the service',
      // What import() of @adonisjs/redis/services/main gives.
      { redis: async (app) => ({ default: await service(app), [Symbol.toStringTag]: 'Module' }) },
    ],
  ];

  test.each(ways)('redis is %s: ok at once, gone with the server', async (_way, settings) => {
    const { beat } = await start({ HEALTH_CHECKS: [redisCheck], ...settings }, { redis: redis() });
    expect(await beat()).toEqual({ check_redis_connected: 'ok' });
    await server.kill();
    try {
      expect(await beat()).toEqual({ check_redis_connected: expect.stringMatching(/health\.E00[45]/) });
    } finally {
      await server.restart();
    }
  });

  test('a name that config/redis.ts does not have is refused at start', async () => {
    await expect(start({ redis: 'sessions' }, { redis: redis() })).rejects.toMatchObject({
      code: 'LIFESIGN_CONNECTION',
      message: expect.stringContaining(
        'redis has the name "sessions", but config/redis.ts has only these names: main, cache.',
      ),
    });
  });
});

test('without @adonisjs/redis: health.E005, and a name is refused', async () => {
  expect(await (await start({ HEALTH_CHECKS: [redisCheck] })).beat()).toEqual({
    check_redis_connected: 'health.E005',
  });
  await expect(start({ redis: 'main' })).rejects.toMatchObject({ code: 'LIFESIGN_CONNECTION' });
});

describe.skipIf(!canStart('postgres'))('@adonisjs/lucid', () => {
  let server: RunningService;
  let directory: string;
  beforeAll(async () => {
    server = await startService('postgres');
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    await admin.query('CREATE DATABASE reporting');
    await admin.end();
    directory = await mkdtemp(join(tmpdir(), 'lifesign-lucid-'));
    await writeFile(join(directory, '1_orders.js'), 'module.exports = class {};');
  });
  afterAll(async () => {
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const database = () => {
    const { hostname: host, port, username: user, password, pathname } = new URL(server.url);
    const to = (name: string) => ({
      client: 'pg',
      connection: { host, port: Number(port), user: decodeURIComponent(user), password, database: name },
      migrations: { paths: [directory] },
    });
    return { connection: 'main', connections: { main: to(pathname.slice(1)), reporting: to('reporting') } };
  };

  test('the default connection and its migrations; killed and restarted', async () => {
    const { app, beat, until } = await start({}, { database: database() });
    expect(await beat()).toEqual({ check_database_connected: 'ok', check_migrations_applied: 'health.W001' });
    const { MigrationRunner } = await import('@adonisjs/lucid/migration');
    const db = await app.container.make('lucid.db');
    // Makes Lucid's table, which lifesign never does.
    const [migration] = await new MigrationRunner(db, app, { direction: 'up' }).getList();
    await db.table('adonis_schema').insert({ name: migration?.name, batch: 1 });
    const healthy = { check_database_connected: 'ok', check_migrations_applied: 'ok' };
    expect(await beat()).toEqual(healthy);
    await server.kill();
    try {
      await until({ check_database_connected: 'health.E001', check_migrations_applied: 'health.I001' });
    } finally {
      await server.restart();
    }
    await until(healthy);
  });

  const one = 'lifesign/checks.checkDatabaseConnected';

  test.each<[string, AdonisSettings['db'], readonly string[]]>([
    ['a name', 'reporting', ['check_database_connected']],
    ['names', ['main', 'reporting'], ['check_database_connected_main', 'check_database_connected_reporting']],
    [
      'names with names',
      { a: 'main', b: () => 'reporting' },
      ['check_database_connected_a', 'check_database_connected_b'],
    ],
    [
      'a function that returns a connection',
      async (app) => (await app.container.make('lucid.db')).connection('reporting'),
      ['check_database_connected'],
    ],
  ])('db is %s: those are checked', async (_way, given, names) => {
    const { beat } = await start({ HEALTH_CHECKS: [one], db: given }, { database: database() });
    expect(await beat()).toEqual(Object.fromEntries(names.map((name) => [name, 'ok'])));
  });

  test('what the application closes is opened again, as Lucid does; not while it terminates', async () => {
    const { app, beat } = await start({ db: 'reporting' }, { database: database() });
    const db = await app.container.make('lucid.db');
    const before = await beat();
    expect(before).toMatchObject({ check_database_connected: 'ok' });
    await db.manager.close('reporting');
    expect(await beat()).toEqual(before);
    await app.terminate();
    expect(await beat()).toMatchObject({ check_database_connected: 'health.E003' });
    expect(db.manager.isConnected('reporting')).toBe(false);
  });

  test('migrations are those of the one connection in db, or of the names in migrations', async () => {
    const parts = { database: database() };
    // The test above has applied those of main.
    expect(await (await start({ db: 'main' }, parts)).beat()).toMatchObject({
      check_migrations_applied: 'ok',
    });
    expect(await (await start({ db: 'reporting' }, parts)).beat()).toMatchObject({
      check_migrations_applied: 'health.W001',
    });
    expect(await (await start({ migrations: ['main', 'reporting'] }, parts)).beat()).toEqual({
      check_database_connected: 'ok',
      check_migrations_applied_main: 'ok',
      check_migrations_applied_reporting: 'health.W001',
    });
  });

  test.each<[string, Partial<AdonisSettings>, RegExp]>([
    [
      'a name that is not there',
      { db: 'replica' },
      /the name "replica", but config\/database\.ts has only these names: main, reporting/,
    ],
    ['one from a function', { db: () => 'replica' }, /db has the name "replica"/],
    ['of migrations', { migrations: 'replica' }, /migrations has the name "replica"/],
    [
      'a connection string',
      { db: 'postgres://me:hunter2@db/shop' },
      /^db has a string that is not a name, but config/,
    ],
  ])('is refused at start: %s', async (_what, settings, message) => {
    const refused = start(settings, { database: database() });
    await expect(refused).rejects.toMatchObject({
      code: 'LIFESIGN_CONNECTION',
      message: expect.stringMatching(message),
    });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('hunter2') });
  });
});
