import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import * as checks from 'lifesign/checks';
import { never, say, until } from '../say.js';

const connected = (client: unknown) => checks.checkDatabaseConnected(client as never);
const usage = (client: unknown) => checks.poolUsage(client as never, { warn: 0.01 });
const emitter = (members: object = {}) => Object.assign(new EventEmitter(), members);
const unused = () => {};
const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

const unreachable = 'Error health.E001: Cannot connect to the database: connection refused (ECONNREFUSED)';
const misconfigured = (text: string) => `Error health.E003: Database misconfigured: ${text}`;
const unknownMost = expect.stringMatching(/^Info health\.I\d+: The pool does not report its maximum/);
const used = (text: string) => [expect.stringContaining(`Warning health.E024: The pool has ${text}, `)];

type Case = readonly [what: string, client: object, said: readonly unknown[]];

/** A connection of a pg pool, and how it was given back. */
function pgConnection() {
  const given: unknown[] = [];
  const release = (destroy?: boolean) => given.push(destroy);
  return { given, client: emitter({ query: async () => ({ rows: [{ one: 1 }] }), release }) };
}
const pgPool = (connect: unknown, more: object = {}) =>
  emitter({ connect, query: unused, totalCount: 3, idleCount: 1, waitingCount: 0, ...more });
type Callback = (error: unknown, client?: unknown) => void;

describe('pg Pool', () => {
  const { client } = pgConnection();
  const cases: readonly Case[] = [
    ['calls back', pgPool((done: Callback) => done(undefined, client)), []],
    ['promises', pgPool(async () => client), []],
    ['calls back an error', pgPool((done: Callback) => done(refused)), [unreachable]],
    ['rejects', pgPool(async () => Promise.reject(refused)), [unreachable]],
  ];
  it.each(cases)('that %s', async (_what, pool, said) => {
    expect(await say(connected(pool))).toEqual(said);
    expect(client.listenerCount('error')).toBe(0);
  });

  it('that calls back and promises lends once', async () => {
    const { client: lent, given } = pgConnection();
    const pool = pgPool(async (done: Callback) => {
      done(undefined, lent);
      return lent;
    });
    expect(await say(connected(pool))).toEqual([]);
    expect(given).toEqual([undefined]);
    expect(lent.listenerCount('error')).toBe(0);
  });

  it('that lends what cannot be asked has given no connection', async () => {
    const said = await say(connected(pgPool(async () => ({ query: unused }), { options: { max: 2 } })), 1000);
    expect(said).toEqual([
      expect.stringMatching(/^Error health\.E022: Pool exhausted: 2 of 2 connections in use/),
    ]);
  });

  /** A connection that is being made, and what became of its socket. */
  function connecting(stream: object = { destroy: vi.fn() }) {
    return { _connected: false, connection: { stream } };
  }
  it('has its connection ended that does not come, and only that one', async () => {
    const others = connecting();
    const own = connecting();
    const clients: object[] = [others];
    const pool = pgPool(
      () => {
        clients.push(own);
      },
      { _clients: clients, options: { max: 9 }, totalCount: 2, idleCount: 0 },
    );
    await say(connected(pool), 300);
    await until(() => expect(own.connection.stream).toHaveProperty('destroy.mock.calls.length', 1));
    expect(others.connection.stream).toHaveProperty('destroy.mock.calls.length', 0);
  });

  it.each<[string, (clients: object[], queue: object[]) => object, boolean]>([
    [
      'is left alone while it waits in the queue',
      (clients, queue) => {
        const others = connecting();
        queue.push({});
        queueMicrotask(() => clients.push(others));
        return others;
      },
      false,
    ],
    [
      'is ended where it is the only new one',
      (clients) => {
        const own = connecting();
        queueMicrotask(() => clients.push(own));
        return own;
      },
      true,
    ],
    [
      'is left alone where there are two new ones',
      (clients) => {
        const own = connecting();
        queueMicrotask(() => clients.push(own, connecting()));
        return own;
      },
      false,
    ],
    [
      'is left alone where it is connected by now',
      (clients) => {
        const own = connecting();
        clients.push(own);
        queueMicrotask(() => Object.assign(own, { _connected: true }));
        return own;
      },
      false,
    ],
  ])('a request that is abandoned %s', async (_what, ask, ended) => {
    const clients: object[] = [];
    const queue: object[] = [];
    const requests: object[] = [];
    const pool = pgPool(() => void requests.push(ask(clients, queue)), {
      _clients: clients,
      _pendingQueue: queue,
    });
    const check = connected(pool);
    // Another is made once the first one is abandoned.
    await until(async () => {
      await say(check, 4);
      expect(requests.length).toBeGreaterThan(1);
    });
    const { stream } = Object(Reflect.get(Object(requests[0]), 'connection'));
    expect(stream.destroy.mock.calls.length > 0).toBe(ended);
  });

  it.each<[string, object, readonly unknown[]]>([
    ['of how many', { options: { max: 4 } }, used('2 of 4 connections in use, 0 waiting, 50 %')],
    ['not of how many', {}, [unknownMost]],
    [
      'without those that are being made',
      { options: { max: 4 }, _clients: [{ _connected: false }, {}, { _connected: true }] },
      used('1 of 4 connections in use, 0 waiting, 25 %'),
    ],
  ])('shows how many are used, %s', async (_what, more, said) => {
    expect(await say(usage(pgPool(unused, more)))).toEqual(said);
  });
});

/** A mysql2 pool. */
const list = (...items: readonly unknown[]) => ({
  length: items.length,
  get: (index: number) => items[index],
});
const mysqlPool = (more: object = {}) => ({
  query: unused,
  end: unused,
  getConnection: async () => ({ query: async () => [[{ one: 1 }], []], release: unused, destroy: unused }),
  ...more,
});
const core = (all: unknown, free: unknown, config: object = { connectionLimit: 4 }) => ({
  pool: { _allConnections: all, _freeConnections: free, _connectionQueue: list(), config },
});

describe('mysql2 and mariadb', () => {
  const connection = (more: object = {}) => ({
    query: async () => [[{ one: 1 }], []],
    ping: unused,
    destroy: unused,
    beginTransaction: unused,
    ...more,
  });
  const closed = 'Error health.E002: Database connection unusable: the server closed the connection';
  const cases: readonly Case[] = [
    ['is a pool', mysqlPool(), []],
    ['is a connection that is over', connection({ state: 'disconnected' }), [closed]],
    ['is a connection that failed', connection({ connection: { state: 'error' } }), [closed]],
    [
      'is a connection that rejects',
      connection({ query: async () => Promise.reject(refused) }),
      [unreachable],
    ],
    ['calls back, a pool', { promise: () => mysqlPool(), query: unused, execute: unused }, []],
    ['calls back, a connection', { promise: () => connection(), query: unused, execute: unused }, []],
  ];
  it.each(cases)('that %s', async (_what, client, said) => {
    expect(await say(connected(client))).toEqual(said);
  });

  it('a connection that is being made is ended with its request, another is not', async () => {
    for (const authorized of [false, true]) {
      const destroy = vi.fn();
      const all: object[] = [];
      const pool = mysqlPool({
        getConnection() {
          all.push({ authorized, destroy });
          return never();
        },
        _allConnections: {
          get: (index: number) => all[index],
          get length() {
            return all.length;
          },
        },
      });
      const check = connected(pool);
      await until(async () => {
        await say(check, 4);
        expect(all.length).toBeGreaterThan(1);
      });
      expect(destroy.mock.calls.length > 0).toBe(!authorized);
    }
  });

  it.each<[string, object, readonly unknown[]]>([
    [
      'of mysql2',
      mysqlPool(core(list({}, {}, { authorized: false }), list({}))),
      used('1 of 4 connections in use, 0 waiting, 25 %'),
    ],
    ['of mysql2 without a limit', mysqlPool(core(list({}), list(), { connectionLimit: 0 })), [unknownMost]],
    ['of mysql2, in lists it does not show', mysqlPool(core({ length: 2 }, list())), []],
    ['of mysql2, hidden', mysqlPool(), [unknownMost]],
    ['of mysql2, half hidden', mysqlPool(core(undefined, list())), [unknownMost]],
  ])('shows how many are used %s', async (_what, pool, said) => {
    expect(await say(usage(pool))).toEqual(said);
  });

  it.each([
    [1, 1],
    [0, 0],
  ])('mariadb does not show its limit, %i idle', async (idle) => {
    const mariadb = emitter(
      mysqlPool({ activeConnections: () => 2, idleConnections: () => idle, taskQueueSize: () => 0 }),
    );
    expect(await say(checks.poolUsage(mariadb as never, { max: 4, warn: 0.1 }))).toEqual(
      used('2 of 4 connections in use, 0 waiting, 50 %'),
    );
    expect(await say(usage(mariadb))).toEqual([unknownMost]);
  });
});

describe('postgres.js', () => {
  const sql = (unsafe: () => unknown) => Object.assign(() => {}, { unsafe, reserve: unused, notify: unused });

  it('answers, or not', async () => {
    expect(await say(connected(sql(async () => [])))).toEqual([]);
    expect(await say(connected(sql(async () => Promise.reject(refused))))).toEqual([unreachable]);
  });

  it('leaves a query that has not begun to the next run', async () => {
    let answer = (_rows: readonly unknown[]) => {};
    const unsafe = vi.fn(() => new Promise<readonly unknown[]>((resolve) => void (answer = resolve)));
    const check = connected(sql(unsafe));
    const exhausted = [
      expect.stringMatching(/^Error health\.E022: The pool did not provide a connection in time/),
    ];
    // Long, since the query is kept for three times as long: a busy machine must be back by then.
    expect(await say(check, 300)).toEqual(exhausted);
    const joined = say(check, 5000);
    await new Promise((resolve) => setImmediate(resolve));
    answer([]);
    expect(await joined).toEqual([]);
    expect(unsafe).toHaveBeenCalledTimes(1);
    // That it was answered later, when nobody waited, is no reason to believe it now.
    expect(await say(check, 300)).toEqual(exhausted);
    answer([]);
    await new Promise((resolve) => setImmediate(resolve));
    const fresh = say(check, 5000);
    await until(() => expect(unsafe).toHaveBeenCalledTimes(3));
    answer([]);
    expect(await fresh).toEqual([]);
  });
});

/** A Knex with its pool. */
const knex = (more: object = {}) =>
  Object.assign(() => {}, {
    raw: () => ({ connection: async () => ({ rows: [] }) }),
    select: unused,
    client: {
      dialect: 'pg',
      acquireConnection: async () => ({}),
      releaseConnection: async () => {},
      ...more,
    },
  });
const mikro = (connection: object) => ({
  em: { getConnection: () => connection, fork: unused },
  isConnected: unused,
});
const neither = misconfigured('the underlying client is neither Knex nor Kysely');

describe('ORMs', () => {
  const typeorm = (driver: object, more: object = {}) => ({
    isInitialized: true,
    driver,
    options: { type: 'postgres' },
    query: async () => [],
    createQueryRunner: unused,
    ...more,
  });
  const sequelize = (dialect: string, more: object = {}) => ({
    authenticate: unused,
    getDialect: () => dialect,
    query: async () => [[], {}],
    define: unused,
    ...more,
  });
  const lends = (connection: object, pool?: object) => ({
    connectionManager: {
      getConnection: async () => connection,
      releaseConnection: unused,
      destroyConnection: async () => {},
      pool,
    },
  });
  const prisma = (more: object) => ({
    $connect: unused,
    $queryRawUnsafe: async () => [],
    _activeProvider: 'postgresql',
    ...more,
  });
  const failing = pgPool(async () => Promise.reject(refused), { options: { max: 4 } });
  const adapter = (pool: unknown) => ({ _engineConfig: { adapter: { externalPool: pool } } });
  const lucid = (more: object) => ({ getReadClient: () => knex(), getWriteClient: () => knex(), ...more });
  const broken = () => knex({ acquireConnection: async () => Promise.reject(refused) });
  const manager = (client: object) => ({
    connection: () => client,
    rawQuery: unused,
    getRawConnection: unused,
    manager: {},
  });
  const cases: readonly Case[] = [
    ['TypeORM over no pool', typeorm({}), []],
    ['TypeORM over its pool', typeorm({ pool: failing }), [unreachable]],
    ['TypeORM over its first pool', typeorm({ master: failing, pool: mysqlPool() }), [unreachable]],
    [
      'TypeORM that is not initialised',
      typeorm({ pool: failing }, { isInitialized: false }),
      [misconfigured('the DataSource is not initialized')],
    ],
    ['Sequelize without a pool', sequelize('sqlite'), []],
    ['Sequelize of another version', sequelize('postgres', { connectionManager: {} }), []],
    [
      'Sequelize over what cannot be asked',
      sequelize('mysql', lends({ promise: unused })),
      [misconfigured('the connection does not accept queries')],
    ],
    ['Prisma over a pool', prisma(adapter(failing)), [unreachable]],
    ['Prisma over another pool', prisma(adapter({})), []],
    ['MikroORM over something else', mikro({ getClient: () => ({}) }), [neither]],
    ['MikroORM over documents', mikro({}), [misconfigured('this MikroORM has no SQL driver')]],
    ['Lucid that writes', lucid({ getWriteClient: broken }), [unreachable]],
    ['Lucid that reads', lucid({ mode: 'read', getReadClient: broken }), [unreachable]],
    ['Lucid that reads only', lucid({ mode: 'read', getWriteClient: () => undefined }), []],
    ['Lucid over something else', lucid({ getWriteClient: () => undefined }), [neither]],
    ["Lucid's manager", manager(lucid({ getReadClient: broken })), []],
    ["Lucid's manager, whose database is down", manager(lucid({ getWriteClient: broken })), [unreachable]],
  ];
  it.each(cases)('%s', async (_what, client, said) => {
    expect(await say(connected(client))).toEqual(said);
  });

  it('follow what is below them', async () => {
    let below = knex();
    const check = connected(mikro({ getKnex: () => below }));
    expect(await say(check)).toEqual([]);
    below = broken();
    expect(await say(check)).toEqual([unreachable]);
    const driver = { pool: pgPool(async () => pgConnection().client) };
    const source = connected(typeorm(driver));
    expect(await say(source)).toEqual([]);
    driver.pool = failing;
    expect(await say(source)).toEqual([unreachable]);
  });

  it.each<[string, object, readonly unknown[]]>([
    [
      'Sequelize',
      sequelize('postgres', lends({}, { using: 1, size: 2, maxSize: 5, waiting: 3, available: 1 })),
      used('1 of 5 connections in use, 3 waiting, 20 %'),
    ],
    [
      'Sequelize with one for reading',
      sequelize('postgres', lends({}, { read: { using: 1, size: 1, maxSize: 5 } })),
      used('1 of 5 connections in use, 20 %'),
    ],
    ['Sequelize that shows half', sequelize('postgres', lends({}, { using: 1 })), [unknownMost]],
    ['Knex without a pool', knex(), [unknownMost]],
  ])('show how many connections are used: %s', async (_what, client, said) => {
    expect(await say(usage(client))).toEqual(said);
  });
});
