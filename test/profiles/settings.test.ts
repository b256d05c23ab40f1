import { EventEmitter } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import fc from 'fast-check';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type LogRecord } from 'lifesign';
import * as checks from 'lifesign/checks';
import { Health, type NestSettings } from 'lifesign/nestjs';
import { create } from '../frameworks/nest-app.js';

type Checks = NestSettings['HEALTH_CHECKS'];
let base: string;
let records: LogRecord[];
const apps = new WeakMap<Health, NestFastifyApplication>();

const files: Record<string, string> = {
  'acme/checks.js': 'exports.storageReachable = () => []; exports.limit = 3; exports.Queue = class Queue {};',
  'acme/version.js': 'exports.read = (baseDir) => ({ version: "7", baseDir }); exports.no = 1;',
};

async function write(texts: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(texts)) {
    await mkdir(dirname(join(base, file)), { recursive: true });
    await writeFile(join(base, file), text);
  }
}

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'lifesign-settings-'));
  await write(files);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(base, { recursive: true });
});

/** The Health of an application with these settings, which has started. */
async function load(settings: Partial<NestSettings>): Promise<Health> {
  const given = { BASE_DIR: base, DEBUG: undefined, HEALTH_CHECKS: undefined, summary: false, ...settings };
  const made = await create(given, { adapter: () => new FastifyAdapter() });
  await made.app.init();
  records = made.records;
  const health = made.app.get(Health);
  apps.set(health, made.app as NestFastifyApplication);
  return health;
}

async function answer(health: Health, target: string) {
  const reply = await apps.get(health)?.inject(target);
  return { status: reply?.statusCode, body: reply?.json() as unknown };
}

const heartbeat = (health: Health) => answer(health, '/__heartbeat__');
const namesOf = async (health: Health) => (await health.heartbeat()).results.map(({ name }) => name);
/** Settings as callers in JavaScript may write them. */
const loadAny = (settings: object) => load(settings);
const seven = () => ({ status: 200, body: { version: '7', baseDir: base } });
function mail(): void {}
function storage() {
  return warning();
}
const warning = () => [new checks.Warning('Storage is slow', { id: 'acme.W001' })];

describe('BASE_DIR', () => {
  test.each([[undefined], [null], ['']])('must be defined: %j', async (BASE_DIR) => {
    await expect(loadAny({ BASE_DIR })).rejects.toMatchObject({
      code: 'LIFESIGN_BASE_DIR',
      message: expect.stringContaining('The setting BASE_DIR is not defined.'),
    });
  });

  test.each([
    [7, '7, which is not a path'],
    [{}, 'a plain object, which is not a path'],
    [
      new URL('https://me:hunter2@acme.example'),
      'an instance of URL, which is not a path or a local file: URL',
    ],
    ['/nowhere/at/all', '"/nowhere/at/all", which is not an existing directory'],
    [import.meta.filename, 'which is not an existing directory'],
    [import.meta.url, 'which is not an existing directory'],
  ])('must be the path or the file URL of a directory that exists: %s', async (BASE_DIR, problem) => {
    const refused = loadAny({ BASE_DIR });
    await expect(refused).rejects.toMatchObject({ code: 'LIFESIGN_BASE_DIR' });
    await expect(refused).rejects.toThrow(problem);
    await expect(refused).rejects.not.toThrow('omit it');
  });

  test('holds version.json', async () => {
    await writeFile(join(base, 'version.json'), '{"commit":"c0ffee"}');
    expect(await answer(await load({ HEALTH_CHECKS: [] }), '/__version__')).toEqual({
      status: 200,
      body: { commit: 'c0ffee' },
    });
  });

  test('may be a file URL, as such or as a text', async () => {
    for (const BASE_DIR of [pathToFileURL(base), pathToFileURL(base).href])
      expect((await load({ BASE_DIR, HEALTH_CHECKS: [] })).options.versionPath).toBe(base);
  });

  test('is not taken from versionPath', async () => {
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

  test('details of the environment does not open what DEBUG hides', async () => {
    vi.stubEnv('HEALTH_DETAILS', 'true');
    expect((await heartbeat(await load(failing))).body).toEqual({ status: 'warning' });
  });

  test('must be true or false', async () => {
    await expect(loadAny({ DEBUG: 'yes' })).rejects.toThrow(
      'Option DEBUG is "yes"; it must be true, false or a function that takes the request. Fix it, or omit it to use the default (false).',
    );
  });
});

describe('HEALTH_VERSION_CALLBACK', () => {
  test('is the import path of a function that gets BASE_DIR', async () => {
    const health = await load({ HEALTH_CHECKS: [], HEALTH_VERSION_CALLBACK: 'acme.version.read' });
    expect(await answer(health, '/__version__')).toEqual(seven());
  });

  test('may come from the environment', async () => {
    vi.stubEnv('HEALTH_VERSION_CALLBACK', './acme/version.js.read');
    expect(await answer(await load({ HEALTH_CHECKS: [] }), '/__version__')).toEqual(seven());
  });

  test.each([
    ['acme.version.no', 'it is 1, not a function'],
    ['acme.version.gone', 'the module has no export gone'],
    ['nothing', 'it does not name an export'],
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

  test.each([
    ['acme.checks.limit', 'it is 3, not a check'],
    ['acme.checks.Queue', 'it is the class Queue, not a check'],
    ['acme.gone.storage', "Cannot find package 'acme.gone', and BASE_DIR has no file acme/gone.js"],
  ])('%s is refused at start', async (path, reason) => {
    const loading = load({ HEALTH_CHECKS: [path] });
    await expect(loading).rejects.toMatchObject({ code: 'LIFESIGN_IMPORT_PATH' });
    await expect(loading).rejects.toThrow(`HEALTH_CHECKS has "${path}", which cannot be used: `);
    await expect(loading).rejects.toThrow(reason);
    // Nothing names the file that lifesign imports from, for it does not exist.
    const error: unknown = await loading.catch((thrown: unknown) => thrown);
    expect(inspect(error)).not.toContain('lifesign-settings.cjs');
  });

  test.each([
    ['an object', [{}], 'LIFESIGN_CHECK_FUNCTION'],
    ['a function without a name', [() => []], 'LIFESIGN_CHECK_NAME'],
    [
      'the same check twice',
      ['acme.checks.storageReachable', './acme/checks.js.storageReachable'],
      'LIFESIGN_CHECK_DUPLICATE',
    ],
    ['no list', 7, 'LIFESIGN_OPTION_INVALID'],
    ['a name without a check', [['search']], 'LIFESIGN_CHECK_FUNCTION'],
    ['options that are none', [['search', mail, 5]], 'LIFESIGN_CHECK_FUNCTION'],
    ['unknown options', [['search', mail, { timeuot: 5 }]], 'LIFESIGN_OPTION_UNKNOWN'],
    ['an object with something else in it', [{ search: 5 }], 'LIFESIGN_CHECK_FUNCTION'],
    ['a factory that needs an address', [checks.http], 'LIFESIGN_CHECK_FUNCTION'],
    ['a factory twice', [checks.memory(), checks.memory()], 'LIFESIGN_CHECK_DUPLICATE'],
  ])('%s is refused at start', async (_, given, code) => {
    const loading = load({ HEALTH_CHECKS: given as Checks });
    await expect(loading).rejects.toMatchObject({ code });
    // The advice is for those who write settings.
    if (code.startsWith('LIFESIGN_CHECK')) await expect(loading).rejects.toThrow('HEALTH_CHECKS');
  });

  test.each<[string, Checks, string[]]>([
    ['{ search: fn }', [{ search: () => [], mails: mail }, storage], ['search', 'mails', 'storage']],
    ["['search', fn]", [['search', () => []], mail], ['search', 'mail']],
    [
      'an object in place of the list',
      { search: () => [], path: 'acme.checks.storageReachable' },
      ['search', 'path'],
    ],
    ['a path with a name', [{ search: 'acme.checks.storageReachable' }], ['search']],
    ['a path to such an object', ['./acme/many.mjs.all'], ['first', 'second']],
    [
      'what factories make, under names of their own',
      [
        checks.http('http://me:hunter2@search:9200/?token=x'),
        checks.tcp('mail', 25),
        checks.memory(),
        checks.eventLoop(),
      ],
      ['http_search:9200', 'tcp_mail:25', 'memory', 'event_loop'],
    ],
    ['factories that need nothing', [checks.memory, 'lifesign/checks.eventLoop'], ['memory', 'event_loop']],
    ['a factory under a name', [{ heap: checks.memory }], ['heap']],
    ['a built-in check under a name', [{ orders: checks.checkDatabaseConnected }], ['orders']],
    ['its path under a name', [['cache', 'lifesign/checks.checkRedisConnected']], ['cache']],
  ])('takes %s', async (_, given, names) => {
    await writeFile(join(base, 'acme/many.mjs'), 'export const all = { first() {}, second() {} };');
    const health = await load({ HEALTH_CHECKS: given });
    expect(await namesOf(health)).toEqual(names);
  });

  test('the options beside a name are those of the check', async () => {
    const forever = () => new Promise<never>(() => {});
    const health = await load({ HEALTH_CHECKS: [['slow', forever, { timeout: 20 }]] });
    const { results } = await health.heartbeat();
    expect(results[0]?.messages[0]?.text).toContain('did not answer within 20 ms');
  });
});

describe('the default of HEALTH_CHECKS', () => {
  test('is those of the database, and says which setting to change; can be spelt out, as paths or functions', async () => {
    const usual = await load({ DEBUG: true });
    expect(await namesOf(usual)).toEqual(['check_database_connected', 'check_migrations_applied']);
    const health = await load({
      DEBUG: true,
      HEALTH_CHECKS: [
        'lifesign/checks.checkDatabaseConnected',
        checks.checkMigrationsApplied,
        checks.checkRedisConnected,
        'lifesign/checks.checkBrokerConnected',
      ],
    });
    const { results } = await health.heartbeat();
    const none = (what: string, setting: string) =>
      `No ${what} was found: set ${setting}, or list other checks in HEALTH_CHECKS`;
    expect(results.map(({ name, messages }) => [name, messages[0]?.id, messages[0]?.text])).toEqual([
      ['check_database_connected', 'health.E003', none('database', 'db')],
      [
        'check_migrations_applied',
        'health.I001',
        'Cannot check migrations: no library was found: set migrations, or list other checks in HEALTH_CHECKS',
      ],
      ['check_redis_connected', 'health.E005', none('redis client', 'redis')],
      ['check_broker_connected', 'health.E032', none('broker', 'broker')],
    ]);
  });
});

describe('a client that is given', () => {
  const redis = () =>
    Object.assign(new EventEmitter(), { status: 'ready', ping: async () => 'PONG', disconnect() {} });
  const broker = () => ({ flush: async () => {}, rtt: async () => 1, isClosed: () => false, drain() {} });
  const db = () => new Database(':memory:');
  const migrations = {
    isInitialized: true,
    driver: {},
    options: { type: 'sqlite' },
    migrations: [],
    createQueryRunner() {},
    query: async () => [],
  };
  const settingOf = {
    check_database_connected: ['db', 'lifesign/checks.checkDatabaseConnected'],
    check_migrations_applied: ['migrations', 'lifesign/checks.checkMigrationsApplied'],
    check_redis_connected: ['redis', 'lifesign/checks.checkRedisConnected'],
    check_broker_connected: ['broker', 'lifesign/checks.checkBrokerConnected'],
  } as const;
  type Name = keyof typeof settingOf;
  const names = Object.keys(settingOf) as Name[];
  const clients: Record<Name, () => object> = {
    check_database_connected: db,
    check_migrations_applied: () => migrations,
    check_redis_connected: redis,
    check_broker_connected: broker,
  };

  /** Settings with these clients. */
  const loadWith = (given: readonly Name[], listed: readonly Name[] | undefined) =>
    loadAny({
      ...Object.fromEntries(given.map((name) => [settingOf[name][0], clients[name]()])),
      HEALTH_CHECKS: listed?.map((name) => settingOf[name][1]),
    });
  const someNames = fc.subarray(names);

  test('is checked by default, whichever of them are given', async () => {
    await fc.assert(
      fc.asyncProperty(someNames, async (given) => {
        const found = await namesOf(await loadWith(given, undefined));
        expect(found).toEqual(expect.arrayContaining([...given]));
        // The contract's default is there in any case; a Redis or a broker that nobody named is not.
        expect(found).toEqual(names.filter((name) => !/redis|broker/.test(name) || given.includes(name)));
      }),
      { numRuns: 8 },
    );
  });

  test('is not checked if an explicit list leaves it out', async () => {
    expect(await namesOf(await loadWith(names, ['check_redis_connected']))).toEqual([
      'check_redis_connected',
    ]);
  });
});

describe('the other settings', () => {
  test('are read from the variables of their options', async () => {
    vi.stubEnv('HEALTH_TIMEOUT', '900ms').stubEnv('HEALTH_SILENCED_CHECKS', 'acme.W001,acme.W002');
    expect((await load({ HEALTH_CHECKS: [] })).options).toMatchObject({
      timeout: 900,
      silencedChecks: ['acme.W001', 'acme.W002'],
    });
    expect((await load({ HEALTH_CHECKS: [], SILENCED_SYSTEM_CHECKS: [] })).options.silencedChecks).toEqual(
      [],
    );
  });

  test('loggerName is in each line of the default logger, which writes every level', async () => {
    const lines: string[] = [];
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
      lines.push(String(line));
      return true;
    });
    const debug = () => [new checks.Debug('Looked', { id: 'acme.D001' })];
    const health = await load({ logger: undefined, loggerName: 'acme', HEALTH_CHECKS: [debug] });
    await health.heartbeat();
    health.close();
    await vi.waitFor(() => expect(lines).toHaveLength(1), 30_000);
    write.mockRestore();
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      Logger: 'acme',
      Severity: 7,
      Type: 'health.checks',
      Fields: { msg: 'acme.D001: Looked' },
    });
  });

  test.each([
    [{ timeout: '1 second' }, 'Option timeout is "1 second"; it must be a text such as'],
    [{ SILENCED_SYSTEM_CHECKS: 5 }, 'Option SILENCED_SYSTEM_CHECKS is 5; it must be a list of message ids'],
    [{ details: true }, 'Unknown option "details" (it is called DEBUG).'],
    [{ versionPath: '/' }, 'Unknown option "versionPath" (it is called BASE_DIR).'],
    [{ silencedChecks: [] }, 'Unknown option "silencedChecks" (it is called SILENCED_SYSTEM_CHECKS).'],
    [{ HEALTH_TIMEOUT: 5 }, 'Did you mean "timeout"?'],
    [{ checks: [] }, 'Did you mean "HEALTH_CHECKS"?'],
    [{ timeouts: 1 }, 'Unknown option "timeouts". Known options: HEALTH_CHECKS, HEALTH_VERSION_CALLBACK'],
  ])('%j is refused by the name of the setting', async (settings, reason) => {
    await expect(loadAny(settings)).rejects.toThrow(reason);
  });
});

describe('an import path', () => {
  const project = {
    'package.json': '{"name":"acme","type":"module","imports":{"#checks/*":"./checks/*.js"}}',
    'checks/storage.js': 'export function storageReachable() { return []; }\nexport const limit = 3;',
    'checks/default.js': 'export default function nightly() { return []; }',
    'checks/broken.js': 'throw new Error("no bucket configured, token=hunter2");',
    'checks/needs.js': 'import "./gone.js";\nexport const never = () => [];',
    'checks/syntax.js': 'export const = 1;',
    'acme/mail/index.js': 'export const reachable = () => [];',
    'acme/queue.mjs': 'export const empty = () => [];',
    'legacy.cjs': 'const late = {}; late.alive = () => []; module.exports = late;',
    'node_modules/pack/package.json':
      '{"name":"pack","type":"module","exports":{"./checks":{"import":"./checks.js"},".":{"import":"./main.js"}}}',
    'node_modules/pack/checks.js': 'export const packed = () => [];',
    'node_modules/pack/main.js': 'export const main = () => [];',
    'node_modules/@acme/pack.js/package.json':
      '{"name":"@acme/pack.js","type":"module","exports":"./main.js"}',
    'node_modules/@acme/pack.js/main.js': 'export const scoped = () => [];',
  };

  test.each([
    ['a relative file', './checks/storage.js.storageReachable', 'storageReachable'],
    ['a default export', './checks/default.js.default', 'nightly'],
    ['a subpath of the project', '#checks/storage.storageReachable', 'storageReachable'],
    ['a subpath of a package that knows import() alone', 'pack/checks.packed', 'packed'],
    ['a package with a scope and a dot', '@acme/pack.js.scoped', 'scoped'],
    ['a dotted path of folders', 'checks.storage.storageReachable', 'storageReachable'],
    ['a dotted path to a folder with an index', 'acme.mail.reachable', 'reachable'],
    ['a dotted path to an .mjs file', 'acme.queue.empty', 'empty'],
    ['a CommonJS file whose exports cannot be seen from outside', './legacy.cjs.alive', 'alive'],
    ['a built-in module', 'node:path.join', 'join'],
  ])('leads to %s', async (_, path, name) => {
    await write(project);
    expect(await namesOf(await load({ HEALTH_CHECKS: [path] }))).toEqual([name]);
  });

  test.each([
    ['no export', 'storage', 'it does not name an export'],
    ['nothing behind the dot', './checks/storage.js.', 'it does not name an export'],
    ['an export that cannot be a name', './checks/storage.js.a-b', 'it does not name an export'],
    ['no such file', './checks/gone.js.a', 'Cannot find module'],
    ['no such subpath', '#nope/storage.a', '"#nope/storage" is not defined'],
    ['a subpath that the package keeps to itself', 'pack/main.js.main', 'is not defined by "exports"'],
    [
      'no such export',
      './checks/storage.js.gone',
      'no export gone; its exports are: limit, storageReachable',
    ],
    ['a module that throws', './checks/broken.js.a', 'Error: no bucket configured'],
    ['a module that imports what is not there', './checks/needs.js.never', 'gone.js'],
    ['a module with a syntax error', './checks/syntax.js.a', 'SyntaxError'],
  ])('is refused: %s', async (_, path, reason) => {
    await write(project);
    const refused = load({ HEALTH_CHECKS: [path] });
    await expect(refused).rejects.toMatchObject({ code: 'LIFESIGN_IMPORT_PATH' });
    await expect(refused).rejects.toThrow(`HEALTH_CHECKS has "${path}"`);
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.not.toThrow('hunter2');
  });
});
