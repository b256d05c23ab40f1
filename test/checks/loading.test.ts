import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Life } from '../../src/checks/life.js';
import { dialectOf } from '../../src/checks/databases/dialect.js';
import { databaseOf } from '../../src/checks/databases/index.js';
import { isDatabase, recogniseDatabase } from '../../src/checks/databases/shapes.js';
import { isRedisClient, recogniseRedis } from '../../src/checks/key-values/shapes.js';
import { storeOf } from '../../src/checks/key-values/stores.js';
import { loading } from '../../src/checks/loading.js';
import { migrationsApplied } from '../../src/checks/migrations/index.js';
import { isMigrationSource, recogniseMigrations } from '../../src/checks/migrations/shapes.js';
import type { Check } from 'lifesign/checks';
import { currentRequest, RequestContext, runInRequest } from '../../src/core/request/request.js';

const context = { signal: new AbortController().signal, name: 'tested' };
const request = () => new RequestContext({ givenId: 'id' });
/** A turn of the event loop: every promise that can settle has. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the code of a check', () => {
  it('is loaded when the check is made, for no request, and made into one check', async () => {
    const seen: unknown[] = [];
    let made = 0;
    let arrive = (_code: string) => {};
    const load = () => {
      seen.push(currentRequest());
      return new Promise<string>((resolve) => {
        arrive = resolve;
      });
    };
    const check = runInRequest(request(), () =>
      loading('late', load, (code) => {
        made += 1;
        seen.push(currentRequest());
        return () => void seen.push(code);
      }),
    );
    expect(check.name).toBe('late');
    expect(seen).toEqual([undefined]);
    arrive('code');
    await turn();
    expect(made).toBe(1);
    await runInRequest(request(), () => check(context));
    await check(context);
    expect(made).toBe(1);
    expect(seen).toEqual([undefined, undefined, 'code', 'code']);
  });

  it('is made for no request where a run has to load it', async () => {
    const seen: unknown[] = [];
    let isThere = false;
    const load = async () => {
      seen.push(currentRequest());
      if (!isThere) throw new Error('gone');
    };
    const check = loading('again', load, () => {
      seen.push(currentRequest());
      return () => [];
    });
    await turn();
    isThere = true;
    expect(await runInRequest(request(), () => check(context))).toEqual([]);
    expect(seen).toEqual([undefined, undefined, undefined]);
  });

  it('is waited for by all who come before it is there, and made once', async () => {
    const arrivals: (() => void)[] = [];
    let made = 0;
    const check = loading(
      'early',
      () => new Promise<void>((resolve) => void arrivals.push(resolve)),
      () => {
        made += 1;
        return async () => [];
      },
    );
    const runs = Promise.all([check(context), check(context)]);
    for (const arrive of arrivals) arrive();
    expect(await runs).toEqual([[], []]);
    expect(made).toBe(1);
  });

  it('that comes when the time of a run is up is not run for it', async () => {
    let arrive = () => {};
    let runs = 0;
    const load = () =>
      new Promise<void>((resolve) => {
        arrive = resolve;
      });
    const check = loading('too_late', load, () => () => void (runs += 1));
    const ended = new AbortController();
    const run = Promise.resolve(check({ ...context, signal: ended.signal }));
    ended.abort(new Error('its time is up'));
    arrive();
    await expect(run).rejects.toThrow('its time is up');
    expect(runs).toBe(0);
    await check(context);
    expect(runs).toBe(1);
  });

  it('that cannot be loaded fails the check alone, and is loaded again by the next run', async () => {
    const unhandled: unknown[] = [];
    const note = (thrown: unknown) => void unhandled.push(thrown);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    let isThere = false;
    const load = () =>
      isThere ? Promise.resolve('code') : Promise.reject(new Error('Cannot find module /srv/app/sql.js'));
    const check: Check = loading('gone', load, () => () => []);
    await turn();
    await expect(async () => check(context)).rejects.toThrow('Its code cannot be loaded');
    isThere = true;
    expect(await check(context)).toEqual([]);
    await turn();
    expect(unhandled).toEqual([]);
  });
});

/** The methods and properties by which clients are known, one line for each. */
const families = [
  ['connect', 'query', 'totalCount', 'idleCount'],
  ['query', 'escapeIdentifier', 'end'],
  ['unsafe', 'reserve', 'notify'],
  ['promise', 'query', 'execute'],
  ['getConnection', 'query', 'end'],
  ['query', 'ping', 'destroy', 'beginTransaction'],
  ['prepare', 'exec'],
  ['execute', 'executeMultiple', 'batch'],
  ['raw', 'select', 'client', 'migrate'],
  ['selectNoFrom', 'executeQuery', 'getExecutor', 'connection'],
  ['$queryRawUnsafe', '$connect', 'migrationsFolder'],
  ['query', 'createQueryRunner', 'isInitialized', 'driver', 'options'],
  ['authenticate', 'getDialect', 'query', 'define', 'connectionManager'],
  ['isConnected', 'em'],
  ['getReadClient', 'getWriteClient'],
  ['connection', 'rawQuery', 'getRawConnection', 'manager'],
  ['ping', 'once', 'removeListener', 'disconnect', 'status'],
  ['ioConnection'],
  ['connection', 'quitAll'],
  ['once', 'removeListener', 'sendCommand', 'isOpen', 'ping'],
  ['once', 'removeListener', 'sendCommand', 'isOpen', 'getRandomNode', 'nodeClient'],
  ['ping', 'customCommand', 'close'],
  ['stats', 'get', 'flush', 'servers'],
  ['getMigrations', 'provider'],
  ['dir', 'migrationsTable', 'migrationsFolder'],
  ['migrations', 'pending', 'executed', 'options'],
  ['getList', 'run', 'direction'],
] as const;
const named: ReadonlySet<string> = new Set([
  'totalCount',
  'idleCount',
  'isInitialized',
  'ioConnection',
  'isOpen',
  'direction',
]);
const pool = { getConnection() {}, query() {}, end() {} };
const odd: Readonly<Record<string, unknown>> = {
  promise(this: object) {
    return 'getConnection' in this ? pool : { query() {}, ping() {}, destroy() {}, beginTransaction() {} };
  },
  getExecutor: () => ({ adapter: {} }),
  getDialect: () => 'postgres',
  driver: {},
  options: { type: 'postgres' },
  connectionManager: { getConnection() {}, releaseConnection() {}, destroyConnection() {} },
  client: { acquireConnection() {}, releaseConnection() {} },
  em: { getConnection() {}, fork() {} },
  manager: {},
  status: 'ready',
  servers: [],
  provider: { getMigrations() {} },
  migrate: { config: { migrationSource: { getMigrations() {}, getMigrationName() {} } } },
  migrationsFolder: '/migrations',
  dir: '/migrations',
  migrationsTable: 'books',
};

/** One or two clients in one, with something more, or without something. */
const anyClient = fc
  .tuple(
    fc.subarray([...families], { minLength: 1, maxLength: 2 }),
    fc.subarray(families.flat(), { maxLength: 2 }),
    fc.option(fc.constantFrom(...families.flat())),
  )
  .map(([some, more, less]) => [...some.flat(), ...more].filter((name) => name !== less))
  .map((names) =>
    Object.fromEntries(
      [...names, 'options'].map((name) => [name, odd[name] ?? (named.has(name) ? 0 : () => {})]),
    ),
  );
/** Whatever stands on a client. */
const anyValue = fc.oneof(
  anyClient,
  fc
    .tuple(fc.constantFrom('$client', 'db', 'dbClient'), anyClient, anyClient)
    .map(([name, inner, outer]) => ({ ...outer, [name]: inner })),
);

describe('a client that is recognised is handed to the adapter that knows it', () => {
  it('for databases, and whether their pool shows its usage', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const recognised = recogniseDatabase(value);
        expect(isDatabase(value)).toBe(recognised !== undefined);
        if (recognised === undefined) return;
        const database = databaseOf(recognised);
        expect(database.query).toBeTypeOf('function');
        expect(recognised.showsUsage).toBe(database.usage !== undefined);
      }),
      { numRuns: 1000 },
    );
  });

  it('for key-value stores', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const recognised = recogniseRedis(value);
        expect(isRedisClient(value)).toBe(recognised !== undefined);
        if (recognised === undefined) return;
        const store = storeOf(recognised, new Life());
        expect(store.ping).toBeTypeOf('function');
        expect(store.memory).toBeTypeOf('function');
      }),
      { numRuns: 1000 },
    );
  });

  it('for what knows migrations', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const recognised = recogniseMigrations(value);
        expect(isMigrationSource(value)).toBe(recognised !== undefined);
        if (recognised !== undefined) {
          expect(migrationsApplied(recognised, undefined, [])).toBeTypeOf('function');
        }
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    [{ connect() {}, query() {}, totalCount: 0, idleCount: 0 }, 'pgPool'],
    [{ query() {}, escapeIdentifier() {}, end() {} }, 'pgClient'],
    [{ promise: () => pool, query() {}, execute() {}, getConnection() {}, end() {} }, 'mysqlCallbacks'],
    [{ promise: () => ({}), query() {}, execute() {} }, 'mysqlCallbacks'],
    [pool, 'mysqlPool'],
    [{ $client: pool, select() {} }, 'mysqlPool'],
    [{ prepare() {}, exec() {} }, 'sqlite'],
    [{ $queryRawUnsafe() {}, $connect() {} }, 'prisma'],
    [{ query() {}, createQueryRunner() {}, isInitialized: true, driver: {}, options: {} }, 'typeorm'],
  ])('%o goes to %s', (client, adapter) => {
    const adapters = new Proxy({}, { get: (_target, name) => () => name });
    expect(recogniseDatabase(client)?.adopt(adapters as never)).toBe(adapter);
  });
});

describe('a database knows its dialect', () => {
  it.each([
    ['postgresql', 'postgres postgresql aurora-postgres PostgresAdapter cockroachdb redshift'],
    ['mysql', 'mysql mysql2 mariadb aurora-mysql MysqlAdapter'],
    ['sqlite', 'sqlite sqlite3 better-sqlite3 libsql SqliteAdapter'],
    ['oracle', 'oracle oracledb'],
    ['other', 'mssql sqlserver MssqlAdapter snowflake undefined'],
  ])('%s', (name, words) => {
    for (const word of words.split(' ')) expect([word, dialectOf(word).name]).toEqual([word, name]);
  });
});
