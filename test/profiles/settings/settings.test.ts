import { EventEmitter } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import * as checks from '../../../src/checks/index.js';
import type { LogRecord } from '../../../src/core/log.js';
import { getVersion } from '../../../src/core/version/version.js';
import { type AnySettings, type Settings, SettingsHealth } from '../../../src/profiles/settings/settings.js';
import type { SettingsHost } from '../../../src/profiles/settings/checks.js';

const nobody: SettingsHost = { clients: () => ({}), adopt: () => undefined };
let base: string;
let records: LogRecord[];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'lifesign-settings-'));
  records = [];
  await mkdir(join(base, 'acme'));
  await writeFile(
    join(base, 'acme/checks.js'),
    'exports.storageReachable = () => []; exports.limit = 3; exports.Queue = class Queue {};',
  );
  await writeFile(
    join(base, 'acme/version.js'),
    'exports.read = (baseDir) => ({ version: "7", baseDir }); exports.no = 1;',
  );
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(base, { recursive: true });
});

async function load(settings: Omit<AnySettings, 'BASE_DIR'>, host = nobody): Promise<SettingsHealth> {
  const health = new SettingsHealth({
    BASE_DIR: base,
    HEALTH_LOGGER: { log: (record: LogRecord) => void records.push(record) },
    ...settings,
  });
  await health.load(host);
  return health;
}

async function answer(health: SettingsHealth, target: string) {
  const found = await health.handle('GET', target, undefined);
  return { status: found?.status, body: JSON.parse(found?.body ?? 'null') as unknown };
}

const heartbeat = (health: SettingsHealth) => answer(health, '/__heartbeat__');
const making = (settings: unknown) => () => new SettingsHealth(settings as AnySettings);
const seven = () => ({ status: 200, body: { version: '7', baseDir: base } });
function mail(): void {}
function storage() {
  return warning();
}
const warning = () => [new checks.Warning('Storage is slow', { id: 'acme.W001' })];

describe('BASE_DIR', () => {
  test.each([[{}], [{ BASE_DIR: undefined }], [{ BASE_DIR: null }], [{ BASE_DIR: '' }]])(
    'must be defined: %j',
    (settings) => {
      const make = making(settings);
      expect(make).toThrow(expect.objectContaining({ code: 'LIFESIGN_BASE_DIR' }));
      expect(make).toThrow('The setting BASE_DIR is not defined.');
    },
  );

  test('must be a path', () => {
    const make = making({ BASE_DIR: 7 });
    expect(make).toThrow('Option BASE_DIR is 7; it must be a non-empty string.');
  });

  test('holds version.json', async () => {
    await writeFile(join(base, 'version.json'), '{"commit":"c0ffee"}');
    expect(await answer(await load({ HEALTH_CHECKS: [] }), '/__version__')).toEqual({
      status: 200,
      body: { commit: 'c0ffee' },
    });
  });

  test('may be a file URL', async () => {
    const health = new SettingsHealth({ BASE_DIR: pathToFileURL(base), HEALTH_CHECKS: [] });
    expect(health.options.versionPath).toBe(base);
  });

  test('is not taken from HEALTH_VERSION_PATH', async () => {
    vi.stubEnv('HEALTH_VERSION_PATH', '/elsewhere');
    expect((await load({ HEALTH_CHECKS: [] })).options.versionPath).toBe(base);
  });
});

describe('DEBUG', () => {
  const failing = { HEALTH_CHECKS: [storage] };
  const shown = {
    status: 'warning',
    checks: { storage: 'warning' },
    details: { storage: { status: 'warning', level: 30, messages: { 'acme.W001': 'Storage is slow' } } },
  };

  test('true: the results are in the body', async () => {
    const health = await load({ ...failing, DEBUG: true });
    expect(await heartbeat(health)).toEqual({ status: 500, body: shown });
  });

  test.each([[false], [undefined]])('%s: the status alone, the cause in the log', async (DEBUG) => {
    const health = await load({ ...failing, DEBUG });
    expect(await heartbeat(health)).toEqual({ status: 500, body: { status: 'warning' } });
    expect(records).toMatchObject([
      { logger: 'health.checks', level: 30, msg: 'acme.W001: Storage is slow', fields: { check: 'storage' } },
    ]);
  });

  test('HEALTH_DETAILS of the environment does not open what DEBUG hides', async () => {
    vi.stubEnv('HEALTH_DETAILS', 'true');
    expect((await heartbeat(await load(failing))).body).toEqual({ status: 'warning' });
  });

  test('must be true or false', () => {
    const make = making({ BASE_DIR: base, DEBUG: 'yes' });
    expect(make).toThrow('Option DEBUG is "yes"; it must be true, false or a function of the request.');
  });
});

describe('HEALTH_VERSION_CALLBACK', () => {
  test('is the import path of a function that gets BASE_DIR', async () => {
    const health = await load({ HEALTH_CHECKS: [], HEALTH_VERSION_CALLBACK: 'acme.version.read' });
    expect(await answer(health, '/__version__')).toEqual(seven());
  });

  test('may be the function itself', async () => {
    const health = await load({
      HEALTH_CHECKS: [],
      HEALTH_VERSION_CALLBACK: (baseDir) => ({ version: '7', baseDir }),
    });
    expect(await answer(health, '/__version__')).toEqual(seven());
  });

  test('may come from the environment', async () => {
    vi.stubEnv('HEALTH_VERSION_CALLBACK', './acme/version.js.read');
    expect(await answer(await load({ HEALTH_CHECKS: [] }), '/__version__')).toEqual(seven());
  });

  test('can build on the built-in getVersion', async () => {
    await writeFile(join(base, 'version.json'), '{"commit":"c0ffee"}');
    const health = await load({
      HEALTH_CHECKS: [],
      HEALTH_VERSION_CALLBACK: async (baseDir) => ({ ...(await getVersion(baseDir)), region: 'eu' }),
    });
    expect((await answer(health, '/__version__')).body).toEqual({ commit: 'c0ffee', region: 'eu' });
  });

  test.each([
    ['acme.version.no', 'it is 1 and not a function'],
    ['acme.version.gone', 'the module has no export gone'],
    ['nothing', 'it names no export'],
  ])('%s is refused at start', async (path, reason) => {
    const loading = load({ HEALTH_CHECKS: [], HEALTH_VERSION_CALLBACK: path });
    await expect(loading).rejects.toMatchObject({ code: 'LIFESIGN_IMPORT_PATH' });
    await expect(loading).rejects.toThrow(
      `HEALTH_VERSION_CALLBACK has "${path}", which cannot be used: ${reason}`,
    );
  });

  test('must be a function or a path', async () => {
    await expect(load({ HEALTH_VERSION_CALLBACK: 7 as unknown as string })).rejects.toThrow(
      'Option HEALTH_VERSION_CALLBACK is 7; it must be a function or its import path.',
    );
  });
});

describe('getVersion', () => {
  test('undefined where there is no file', async () => {
    expect(await getVersion(base)).toBeUndefined();
  });

  test('throws what is wrong with the file', async () => {
    await writeFile(join(base, 'version.json'), '[]');
    await expect(getVersion(base)).rejects.toThrow('version.json is not a JSON object');
  });
});

describe('HEALTH_CHECKS', () => {
  test('takes import paths and functions, in this order', async () => {
    const health = await load({
      DEBUG: true,
      HEALTH_CHECKS: ['acme.checks.storageReachable', mail],
    });
    expect((await heartbeat(health)).body).toEqual({
      status: 'ok',
      checks: { storageReachable: 'ok', mail: 'ok' },
      details: {},
    });
  });

  test('takes a list of paths from the environment', async () => {
    vi.stubEnv('HEALTH_CHECKS', ' acme.checks.storageReachable , ');
    const health = await load({ DEBUG: true });
    expect((await heartbeat(health)).body).toMatchObject({ checks: { storageReachable: 'ok' } });
  });

  test('a default export goes by the name of the function', async () => {
    await writeFile(join(base, 'nightly.mjs'), 'export default function nightly() { return []; }');
    const health = await load({ DEBUG: true, HEALTH_CHECKS: ['./nightly.mjs.default'] });
    expect((await heartbeat(health)).body).toMatchObject({ checks: { nightly: 'ok' } });
  });

  test.each([
    ['acme.checks.limit', 'it is 3 and no check'],
    ['acme.checks.Queue', 'it is the class Queue and no check'],
    ['acme.gone.storage', "Cannot find package 'acme.gone'"],
    ['./acme/gone.js.storage', 'Cannot find module'],
  ])('%s is refused at start', async (path, reason) => {
    const loading = load({ HEALTH_CHECKS: [path] });
    await expect(loading).rejects.toMatchObject({ code: 'LIFESIGN_IMPORT_PATH' });
    await expect(loading).rejects.toThrow(`HEALTH_CHECKS has "${path}", which cannot be used: `);
    await expect(loading).rejects.toThrow(reason);
  });

  test.each([
    ['an object', [{}], 'LIFESIGN_CHECK_FUNCTION'],
    ['a function without a name', [() => []], 'LIFESIGN_CHECK_NAME'],
    [
      'the same check twice',
      ['acme.checks.storageReachable', './acme/checks.js.storageReachable'],
      'LIFESIGN_CHECK_DUPLICATE',
    ],
    ['no list', 'acme.checks.storageReachable', 'LIFESIGN_OPTION_INVALID'],
  ])('%s is refused at start', async (_, given, code) => {
    const loading = load({ HEALTH_CHECKS: given as AnySettings['HEALTH_CHECKS'] });
    await expect(loading).rejects.toMatchObject({ code });
  });

  test('a check of the framework is adopted', async () => {
    const host: SettingsHost = {
      clients: () => ({}),
      adopt: ({ name, value }) =>
        name === 'Queue'
          ? { name: 'queue', check: () => warning() }
          : (expect(value).toBeTypeOf('function'), undefined),
    };
    const health = await load(
      { DEBUG: true, HEALTH_CHECKS: ['acme.checks.Queue', 'acme.checks.storageReachable'] },
      host,
    );
    expect((await heartbeat(health)).body).toMatchObject({
      checks: { queue: 'warning', storageReachable: 'ok' },
    });
  });
});

describe('the default of HEALTH_CHECKS', () => {
  test('without a database says which setting to change', async () => {
    const health = await load({ DEBUG: true });
    expect(await heartbeat(health)).toEqual({
      status: 500,
      body: {
        status: 'error',
        checks: { check_database_connected: 'error', check_migrations_applied: 'info' },
        details: {
          check_database_connected: {
            status: 'error',
            level: 40,
            messages: {
              'health.E003': 'No database was found: set HEALTH_DB, or list other checks in HEALTH_CHECKS',
            },
          },
          check_migrations_applied: {
            status: 'info',
            level: 20,
            messages: { 'health.I001': 'Cannot check migrations: none were found, set HEALTH_MIGRATIONS' },
          },
        },
      },
    });
  });

  test('asks the database and the migrations of the framework', async () => {
    const db = new Database(':memory:');
    const migrations = { getMigrations: async () => [{ name: '001_orders', executedAt: undefined }] };
    const health = await load({ DEBUG: true }, { ...nobody, clients: () => ({ db, migrations }) });
    expect((await heartbeat(health)).body).toMatchObject({
      checks: { check_database_connected: 'ok', check_migrations_applied: 'warning' },
    });
    db.close();
    expect((await heartbeat(health)).body).toMatchObject({ checks: { check_database_connected: 'error' } });
  });

  test('can be spelt out, as paths or as functions, with redis', async () => {
    const health = await load({
      DEBUG: true,
      HEALTH_CHECKS: [
        'lifesign/checks.checkDatabaseConnected',
        checks.checkMigrationsApplied,
        checks.checkRedisConnected,
      ],
    });
    expect((await heartbeat(health)).body).toMatchObject({
      checks: {
        check_database_connected: 'error',
        check_migrations_applied: 'info',
        check_redis_connected: 'error',
      },
      details: {
        check_redis_connected: {
          messages: {
            'health.E005':
              'No redis client was found: set HEALTH_REDIS, or list other checks in HEALTH_CHECKS',
          },
        },
      },
    });
  });
});

describe('a client that is given', () => {
  const redis = () =>
    Object.assign(new EventEmitter(), { status: 'ready', ping: async () => 'PONG', disconnect() {} });
  const db = () => new Database(':memory:');
  const migrations = { getMigrations: async () => [] };
  const settingOf = {
    check_database_connected: ['HEALTH_DB', 'db', 'lifesign/checks.checkDatabaseConnected'],
    check_migrations_applied: ['HEALTH_MIGRATIONS', 'migrations', 'lifesign/checks.checkMigrationsApplied'],
    check_redis_connected: ['HEALTH_REDIS', 'redis', 'lifesign/checks.checkRedisConnected'],
  } as const;
  type Name = keyof typeof settingOf;
  const names = Object.keys(settingOf) as Name[];
  const clients: Record<Name, () => object> = {
    check_database_connected: db,
    check_migrations_applied: () => migrations,
    check_redis_connected: redis,
  };

  /** Settings with these clients, and a framework that has them all. */
  async function loadWith(given: readonly Name[], listed: readonly Name[] | undefined) {
    const byOption = Object.fromEntries(names.map((name) => [settingOf[name][1], clients[name]()]));
    const settings = Object.fromEntries(
      given.map((name) => [settingOf[name][0], byOption[settingOf[name][1]]]),
    );
    return load(
      { ...settings, HEALTH_CHECKS: listed?.map((name) => settingOf[name][2]) },
      { ...nobody, clients: () => byOption },
    );
  }
  const run = async (health: SettingsHealth) => (await health.heartbeat()).results.map(({ name }) => name);
  const someNames = fc.subarray(names);

  test('is checked by default, whichever of them are given', async () => {
    await fc.assert(
      fc.asyncProperty(someNames, async (given) => {
        const found = await run(await loadWith(given, undefined));
        expect(found).toEqual(expect.arrayContaining([...given]));
        // The contract's default is there in any case; a Redis that nobody named is not.
        expect(found).toEqual(
          names.filter((name) => name !== 'check_redis_connected' || given.includes(name)),
        );
      }),
      { numRuns: 20 },
    );
  });

  test('and that an explicit list leaves out is told of at start, once, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(someNames, someNames, async (given, listed) => {
        records = [];
        const health = await loadWith(given, listed);
        expect(await run(health)).toEqual(listed);
        const told = records.filter(({ msg }) => msg?.includes('is not checked'));
        expect(told.map(({ logger, level }) => [logger, level])).toEqual(told.map(() => ['health', 30]));
        const left = given.filter((name) => !listed.includes(name));
        expect(told.map(({ msg }) => msg?.split(' ', 1)[0])).toEqual(left.map((name) => settingOf[name][0]));
        for (const [index, name] of left.entries()) expect(told[index]?.msg).toContain(settingOf[name][2]);
      }),
      { numRuns: 60 },
    );
  });

  test('is told of where the list comes from the environment too', async () => {
    vi.stubEnv('HEALTH_CHECKS', 'acme.checks.storageReachable');
    await loadWith(['check_redis_connected'], undefined);
    expect(records.map(({ msg }) => msg)).toEqual([
      "HEALTH_REDIS is set, but HEALTH_CHECKS does not list its check: this client is not checked. Add 'lifesign/checks.checkRedisConnected' to HEALTH_CHECKS, or leave HEALTH_REDIS out.",
    ]);
  });

  test('is asked by a built-in check that a module of the application exports anew', async () => {
    Reflect.set(globalThis, 'acmeRedisCheck', checks.checkRedisConnected);
    await writeFile(join(base, 'anew.mjs'), 'export const cache = globalThis.acmeRedisCheck;');
    const given = { redis: redis() };
    const reexported = await load(
      { HEALTH_CHECKS: ['./anew.mjs.cache'], HEALTH_REDIS: given.redis },
      { ...nobody, clients: () => given },
    );
    expect(await run(reexported)).toEqual(['check_redis_connected']);
    expect(records).toEqual([]);
  });
});

describe('the other settings', () => {
  test('SILENCED_SYSTEM_CHECKS drops messages by their id', async () => {
    const health = await load({
      DEBUG: true,
      SILENCED_SYSTEM_CHECKS: ['acme.W001'],
      HEALTH_CHECKS: [storage],
    });
    expect(await heartbeat(health)).toEqual({
      status: 200,
      body: { status: 'ok', checks: { storage: 'ok' }, details: {} },
    });
  });

  test('HEALTH_HEARTBEAT_FAILED_STATUS_CODE is the status code of a failed heartbeat', async () => {
    const health = await load({ HEALTH_HEARTBEAT_FAILED_STATUS_CODE: 503 });
    expect((await heartbeat(health)).status).toBe(503);
  });

  test('each option of lifesign has its setting', async () => {
    const { options } = await load({
      HEALTH_CHECKS: [],
      HEALTH_SUMMARY_LOG_QUERYSTRING: true,
      HEALTH_REQUEST_ID_HEADER_NAME: 'X-Trace',
      HEALTH_FAIL_LEVEL: 'error',
      HEALTH_TIMEOUT: 50,
      HEALTH_LOGGER_NAME: 'acme',
    });
    expect(options).toMatchObject({
      summaryLogQuerystring: true,
      requestIdHeaderName: 'x-trace',
      failLevel: 'error',
      timeout: 50,
      loggerName: 'acme',
    });
  });

  test('undefined is as good as absent: configuration services return it', async () => {
    expect((await load({ HEALTH_CHECKS: [], HEALTH_TIMEOUT: undefined })).options.timeout).toBe(5000);
  });

  test.each([
    [{ HEALTH_TIMEOUT: '1s' }, 'Option HEALTH_TIMEOUT is "1s"; it must be an integer of milliseconds'],
    [{ HEALTH_HEARTBEAT_FAILED_STATUS_CODE: 200 }, 'Option HEALTH_HEARTBEAT_FAILED_STATUS_CODE is 200'],
    [
      { SILENCED_SYSTEM_CHECKS: 'a' },
      'Option SILENCED_SYSTEM_CHECKS is "a"; it must be a list of message ids',
    ],
    [
      { HEALTH_TIMEOUTS: 1 },
      'There is no option "HEALTH_TIMEOUTS". Known options: HEALTH_VERSION_CALLBACK, HEALTH_CHECKS',
    ],
    [{ HEALTH_DETAILS: true }, 'There is no option "HEALTH_DETAILS".'],
    [{ HEALTH_FAILED_STATUS_CODE: 503 }, 'There is no option "HEALTH_FAILED_STATUS_CODE".'],
    [{ timeout: 5 }, 'There is no option "timeout".'],
    [{ base_dir: '/' }, 'There is no option "base_dir".'],
  ])('%j is refused by the name of the setting', (settings, reason) => {
    const make = making({ BASE_DIR: base, ...settings });
    expect(make).toThrow(reason);
  });

  test('wrong settings do not compile', () => {
    expectTypeOf<{ HEALTH_CHECKS: [] }>().not.toExtend<Settings>();
    expectTypeOf<{ BASE_DIR: string; HEALTH_TIMEOUT: string }>().not.toExtend<Settings>();
    expectTypeOf<{ BASE_DIR: string; HEALTH_CHECKS: number[] }>().not.toExtend<Settings>();
    expectTypeOf<{ BASE_DIR: string; HEALTH_DB: string }>().not.toExtend<Settings>();
    expectTypeOf<'HEALTH_SUMMARY_LOG_QUERYSTRING' | 'HEALTH_REQUEST_ID_HEADER_NAME'>().toExtend<
      keyof Settings
    >();
    expectTypeOf<'HEALTH_DETAILS'>().not.toExtend<keyof Settings>();
  });
});
