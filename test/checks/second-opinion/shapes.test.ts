import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { Error as ErrorMessage } from 'lifesign/checks';
import { Life } from '../../../src/checks/life.js';
import { databaseOf } from '../../../src/checks/databases/index.js';
import { recogniseDatabase } from '../../../src/checks/databases/shapes.js';
import { recogniseRedis } from '../../../src/checks/key-values/shapes.js';
import { databaseOpinion } from '../../../src/checks/second-opinion/databases.js';
import { copyWith } from '../../../src/checks/second-opinion/fresh.js';
import { storeOpinion } from '../../../src/checks/second-opinion/stores.js';
import { quietController } from '../../../src/core/heartbeat/abort.js';
import { findingsOf } from '../../../src/core/heartbeat/findings.js';
import { resultOf } from '../../../src/core/heartbeat/result.js';
import type { OpinionContext } from '../../../src/core/heartbeat/scope.js';

const broken = [new ErrorMessage('unusable', { id: 'health.E002', fault: 'broken' })];
const context = (time = 1000): OpinionContext => ({
  signal: quietController(performance.now() + time).signal,
  result: resultOf(
    { name: 'asked', key: '"asked"', maxLevel: 50 },
    { failsFrom: 30, verdictOf: () => undefined },
    1,
    findingsOf('asked', broken, new Set()),
  ),
});
const impossible = { scope: 'shared', evidence: 'this client cannot open a fresh connection' };
const works = { scope: 'instance', evidence: 'a fresh connection works' };
const refuses = {
  scope: 'shared',
  evidence: 'a fresh connection fails too: connection refused (ECONNREFUSED)',
  unreached: true,
};
const wrong = { scope: 'shared', evidence: expect.stringContaining('a fresh connection fails too: ') };

function onDatabase(client: unknown, time?: number) {
  const recognised = recogniseDatabase(client);
  if (recognised === undefined) throw new Error('not recognised');
  return databaseOpinion(recognised, new Life())(context(time));
}
function onStore(client: unknown, time?: number) {
  const recognised = recogniseRedis(client);
  if (recognised === undefined) throw new Error('not recognised');
  return storeOpinion(recognised)(context(time));
}

const unused = () => {};
const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const emitter = (members: object = {}) => Object.assign(new EventEmitter(), members);

/** A class of pg clients that notes with what they were made, and which of their sockets were let go of. */
function pgClass(answer: () => Promise<unknown> = async () => {}, stream: object | undefined = {}) {
  const made: { settings: unknown; destroyed: number; ended: number }[] = [];
  class Client extends EventEmitter {
    connection: unknown;
    #own: { settings: unknown; destroyed: number; ended: number };
    constructor(settings: unknown) {
      super();
      const own = { settings, destroyed: 0, ended: 0 };
      this.#own = own;
      made.push(own);
      this.connection = { stream: stream && { destroy: () => void (own.destroyed += 1), ...stream } };
    }
    connect() {
      return answer();
    }
    async query() {}
    async end() {
      this.#own.ended += 1;
    }
  }
  return { Client, made };
}
const pgPool = (Client: unknown, options: unknown = { host: 'db' }) =>
  emitter({ Client, options, connect: unused, query: unused, totalCount: 0, idleCount: 0, waitingCount: 0 });

describe('pg', () => {
  it('is made with the settings of the pool, ended and let go of', async () => {
    const { Client, made } = pgClass();
    expect(await onDatabase(pgPool(Client, { host: 'db', connectionTimeoutMillis: 5000 }))).toEqual(works);
    expect(made).toEqual([
      { settings: { host: 'db', connectionTimeoutMillis: 0 }, destroyed: expect.any(Number), ended: 1 },
    ]);
    expect(made[0]?.destroyed).toBeGreaterThan(0);
  });

  const { Client } = pgClass();
  it.each<[string, object, object]>([
    ['does not answer well', pgPool(pgClass(async () => Promise.reject(refused)).Client), refuses],
    ['has a connection of the application', pgPool(Client, { stream: {} }), impossible],
    ['has a function for its connections', pgPool(Client, { stream: () => ({}) }), works],
    ['shows no settings', Object.assign(pgPool(Client), { options: undefined }), impossible],
    ['shows no class', pgPool(undefined), impossible],
    ['is native', pgPool(pgClass(undefined, { destroy: undefined }).Client), impossible],
    ['makes something else', pgPool(class {}), impossible],
  ])('that %s', async (_what, pool, opinion) => {
    expect(await onDatabase(pool)).toEqual(opinion);
  });
});

/** A class of connections of mysql2, which call back. */
function mysqlClass(error: unknown = null, more: object = {}) {
  const made: { settings: unknown; destroyed: number; left: string[] }[] = [];
  class Connection extends EventEmitter {
    constructor({ config }: { config: unknown }) {
      super();
      const own = { settings: config, destroyed: 0, left: [] as string[] };
      made.push(own);
      Object.assign(this, {
        stream: { destroy: unused },
        connect: (done: (thrown: unknown) => void) => done(error),
        query: (_sql: string, done: (thrown: unknown) => void) => done(null),
        end(done: () => void) {
          own.left.push('end');
          done();
        },
        destroy: () => void (own.destroyed += 1),
        ...more,
      });
    }
  }
  return { Connection, made };
}
/** A connection with promises around one with callbacks. */
const promised = (core: object) => ({
  query: unused,
  ping: unused,
  destroy: unused,
  beginTransaction: unused,
  ...core,
});
/** Has the class of whatever it is given. */
const of = (constructor: unknown, members: object) => ({ constructor, ...members });

describe('mysql2', () => {
  const { Connection, made } = mysqlClass();
  const config = { host: 'db' };
  it.each<[string, object, object]>([
    ['is a connection', promised({ connection: of(Connection, { config }) }), works],
    ['is a connection of its own', promised(of(Connection, { config })), works],
    ['fails', promised({ connection: of(mysqlClass(refused).Connection, { config }) }), refuses],
    ['has a connection of the application', promised(of(Connection, { config: { stream: {} } })), impossible],
    ['shows no settings', promised(of(Connection, {})), impossible],
    ['is of a pool', promised(of(Connection, { config, _pool: {} })), impossible],
  ])('that %s', async (_what, client, opinion) => {
    expect(await onDatabase(client)).toEqual(opinion);
  });

  it('gets twice its time, and is ended and let go of', () => {
    expect(made[0]).toEqual({
      settings: { host: 'db', connectTimeout: expect.any(Number) },
      destroyed: 1,
      left: ['end'],
    });
    expect(Reflect.get(Object(made[0]?.settings), 'connectTimeout')).toBeGreaterThan(750);
    expect(config).toEqual({ host: 'db' });
  });

  /** A class of pools of one connection. */
  function poolClass(error: unknown = null) {
    const seen = { limits: [] as unknown[], left: [] as string[] };
    class Pool {
      constructor({ config: given }: { config: object }) {
        seen.limits.push(Reflect.get(given, 'connectionLimit'));
        const connection = emitter({
          query: (_sql: string, done: (thrown: unknown) => void) => done(null),
          destroy: unused,
          end: () => seen.left.push('end'),
          _realEnd(done: () => void) {
            seen.left.push('_realEnd');
            done();
          },
        });
        Object.assign(this, { _allConnections: { length: 1, get: () => connection } });
      }
      getConnection(done: (thrown: unknown) => void) {
        done(error);
      }
    }
    return { Pool, seen };
  }
  const pool = (Pool: unknown, connectionConfig: unknown = config) => ({
    query: unused,
    end: unused,
    getConnection: unused,
    pool: of(Pool, { config: { connectionLimit: 10, connectionConfig } }),
  });

  it('of a pool is the one connection of a pool of its own, which is not given back', async () => {
    const { Pool, seen } = poolClass();
    expect(await onDatabase(pool(Pool))).toEqual(works);
    expect(seen).toEqual({ limits: [1], left: ['_realEnd'] });
  });

  it.each<[string, object, object]>([
    ['fails', pool(poolClass(refused).Pool), refuses],
    ['shows no class', pool(undefined), impossible],
    ['shows no settings', pool(poolClass().Pool, 'hidden'), impossible],
    ['has a connection of the application', pool(poolClass().Pool, { stream: {} }), impossible],
    ['calls back', { promise: () => pool(poolClass().Pool), query: unused, execute: unused }, works],
    [
      'calls back, one connection',
      { promise: () => promised(of(Connection, { config })), query: unused, execute: unused },
      works,
    ],
  ])('of a pool that %s', async (_what, client, opinion) => {
    expect(await onDatabase(client)).toEqual(opinion);
  });
});

describe('mariadb', () => {
  class Connection {
    opts: Readonly<Record<string, unknown>>;
    socket = { destroy: vi.fn() };
    constructor(opts: Readonly<Record<string, unknown>>) {
      this.opts = opts;
      all.push(this);
    }
    on() {}
    async connect() {}
    query(_command: object, resolve: () => void) {
      resolve();
    }
    end(_parameters: object, resolve: () => void) {
      resolve();
    }
  }
  const all: Connection[] = [];
  const mariadb = () =>
    emitter({
      query: unused,
      end: unused,
      getConnection: unused,
      activeConnections: () => 0,
      idleConnections: () => 0,
      taskQueueSize: () => 0,
    });

  it('shows how its connections are made only by the first one that it lends', async () => {
    const client = mariadb();
    const recognised = recogniseDatabase(client);
    if (recognised === undefined) throw new Error('not recognised');
    const ask = databaseOpinion(recognised, new Life());
    expect(await ask(context())).toEqual(impossible);
    client.emit('acquire', {});
    expect(await ask(context())).toEqual(impossible);
    client.emit('acquire', new Connection({ host: 'db' }));
    // It is seen from now on which connections are lent.
    expect(client.listenerCount('acquire')).toBe(1);
    expect(await ask(context())).toEqual(works);
    expect(all).toHaveLength(2);
    expect(all[1]?.opts).toEqual({ host: 'db', connectTimeout: expect.any(Number) });
    expect(all[1]?.socket.destroy).toHaveBeenCalled();
  });

  it('is known by the first connection that the check, or the application, was lent', async () => {
    for (const isOfCheck of [true, false]) {
      const client = mariadb();
      const recognised = recogniseDatabase(client);
      if (recognised === undefined) throw new Error('not recognised');
      const emitter = new EventEmitter();
      const lent = new Connection({ host: 'db', emitter });
      const life = new Life();
      const opinion = databaseOpinion(recognised, life);
      if (isOfCheck) {
        Object.assign(client, { getConnection: async () => (client.emit('acquire', lent), lent) });
        await databaseOf(recognised)
          .query('SELECT 1', context())
          .catch(() => {});
      } else client.emit('acquire', lent);
      expect(await opinion(context())).toEqual(works);
      // The connections of a pool share an emitter, which warns of the eleventh.
      expect(all.at(-1)?.opts['emitter']).toBeInstanceOf(EventEmitter);
      expect(all.at(-1)?.opts['emitter']).not.toBe(emitter);
      life.close();
      expect(client.eventNames()).toEqual([]);
    }
  });
});

const knexOver = (client: object) =>
  Object.assign(() => {}, {
    raw: unused,
    select: unused,
    client: { acquireConnection: unused, releaseConnection: unused, ...client },
  });
const createConnection = (settings: object) => new (mysqlClass().Connection)({ config: settings });
const overPg = (settings: unknown, Client: unknown = pgClass().Client) =>
  knexOver({ dialect: 'postgresql', driver: { Client }, connectionSettings: settings });
const sequelize = (dialect: string, lib: unknown, config: object, more: object = {}) => ({
  authenticate: unused,
  getDialect: () => dialect,
  query: unused,
  define: unused,
  connectionManager: { lib },
  config,
  ...more,
});
const prisma = (adapter: object) => ({
  $queryRawUnsafe: unused,
  $connect: unused,
  _engineConfig: { adapter },
});
const mikro = (connection: object) => ({
  em: { getConnection: () => connection, fork: unused },
  isConnected: unused,
});
const lucid = (more: object) => ({ getReadClient: unused, getWriteClient: unused, ...more });
const kysely = {
  selectNoFrom: unused,
  executeQuery: unused,
  getExecutor: () => ({ adapter: {} }),
  connection: unused,
};
const typeorm = (driver: object) => ({
  isInitialized: true,
  driver,
  options: { type: 'postgres' },
  query: unused,
  createQueryRunner: unused,
});

describe('query builders and ORMs', () => {
  const { Client } = pgClass();
  const adapterName = '@prisma/adapter-pg';
  const dispose = vi.fn(async () => Promise.reject(new Error('disposed already')));
  const cases: readonly (readonly [what: string, client: object, opinion: object])[] = [
    ['Knex over pg', overPg({ host: 'db' }), works],
    [
      'Knex over pg that fails',
      overPg({ host: 'db' }, pgClass(async () => Promise.reject(refused)).Client),
      refuses,
    ],
    ['Knex without settings', overPg(undefined), impossible],
    [
      'Knex over mysql2',
      knexOver({ dialect: 'mysql', driver: { createConnection }, connectionSettings: {} }),
      works,
    ],
    [
      'Knex over a driver that makes nothing',
      knexOver({ dialect: 'mysql', driver: {}, connectionSettings: {} }),
      impossible,
    ],
    [
      'Knex over a connection of the application',
      knexOver({ dialect: 'mysql', driver: { createConnection }, connectionSettings: { stream: {} } }),
      impossible,
    ],
    ['Knex over a file', knexOver({ dialect: 'sqlite3', driver: {}, connectionSettings: {} }), impossible],
    ['Kysely', kysely, impossible],
    ['Sequelize over pg', sequelize('postgres', { Client }, { host: 'db' }), works],
    ['Sequelize over mysql2', sequelize('mysql', { createConnection }, { host: 'db' }), works],
    ['Sequelize over mariadb', sequelize('mariadb', { createConnection }, { host: 'db' }), impossible],
    ['Sequelize over several servers', sequelize('postgres', { Client }, { replication: {} }), impossible],
    [
      'Sequelize with a hook',
      sequelize('postgres', { Client }, {}, { hasHook: (name: string) => name === 'afterConnect' }),
      impossible,
    ],
    ['Sequelize without a hook', sequelize('postgres', { Client }, {}, { hasHook: () => false }), works],
    ['Prisma over a pool', prisma({ adapterName, externalPool: pgPool(Client) }), works],
    [
      'Prisma over a pool of its own',
      prisma({ adapterName, connect: async () => ({ client: pgPool(Client), dispose }) }),
      works,
    ],
    [
      'Prisma over something of its own',
      prisma({ adapterName, connect: async () => ({ client: {}, dispose }) }),
      impossible,
    ],
    [
      'Prisma over another adapter',
      prisma({ adapterName: '@prisma/adapter-mariadb', connect: unused }),
      impossible,
    ],
    ['TypeORM over its pool', typeorm({ pool: pgPool(Client) }), works],
    ['TypeORM over its first pool', typeorm({ master: pgPool(Client), pool: {} }), works],
    ['TypeORM over nothing', typeorm({}), impossible],
    ['MikroORM over Knex', mikro({ getKnex: () => overPg({}) }), works],
    ['MikroORM over Kysely', mikro({ getClient: () => kysely }), impossible],
    ['Lucid that writes', lucid({ getWriteClient: () => overPg({}) }), works],
    ['Lucid that reads', lucid({ mode: 'read', getReadClient: () => overPg({}) }), works],
    ['Lucid over nothing', lucid({}), impossible],
    [
      "Lucid's manager",
      {
        connection: () => lucid({ getWriteClient: () => overPg({}) }),
        rawQuery: unused,
        getRawConnection: unused,
        manager: {},
      },
      works,
    ],
    ['postgres.js', { unsafe: unused, reserve: unused, notify: unused }, impossible],
    ['SQLite', { prepare: unused, exec: unused }, impossible],
  ];
  it.each(cases)('%s', async (_what, client, opinion) => {
    expect(await onDatabase(client)).toEqual(opinion);
  });

  it('Prisma’s own pool is given back', () => expect(dispose).toHaveBeenCalledTimes(2));

  it('Sequelize has its settings in words of its own', async () => {
    for (const password of ['secret', null]) {
      const { Client: Made, made } = pgClass();
      const config = {
        host: 'db',
        port: 5432,
        username: 'bob',
        password,
        database: 'app',
        dialectOptions: { ssl: true },
      };
      await onDatabase(sequelize('postgres', { Client: Made }, config));
      expect(made[0]?.settings).toEqual({
        ssl: true,
        host: 'db',
        port: 5432,
        user: 'bob',
        // pg takes null for a password.
        password: password ?? undefined,
        database: 'app',
        connectionTimeoutMillis: 0,
      });
    }
  });

  it('a pool of Knex that lends is watched, until it is released', async () => {
    const pool = emitter({
      numUsed: () => 2,
      numPendingAcquires: () => 1,
      numPendingCreates: () => 0,
      max: 2,
    });
    let answer: (value: unknown) => void = unused;
    const answered = new Promise((resolve) => (answer = resolve));
    const { Client: Made } = pgClass(() => answered);
    const client = knexOver({ pool, dialect: 'pg', driver: { Client: Made }, connectionSettings: {} });
    Object.assign(client.client, { dialect: 'postgresql' });
    const recognised = recogniseDatabase(mikro({ getKnex: () => client }));
    if (recognised === undefined) throw new Error('not recognised');
    const opinion = databaseOpinion(recognised, new Life());
    opinion.watch?.();
    expect(pool.listenerCount('acquireSuccess')).toBe(1);
    const asked = opinion(context());
    pool.emit('acquireSuccess');
    answer(undefined);
    expect(await asked).toEqual({ scope: 'shared', evidence: expect.stringContaining('the pool is busy') });
    opinion.release?.();
    expect(pool.listenerCount('acquireSuccess')).toBe(0);
  });
});

describe('copies of settings', () => {
  it('have what is hidden and what is inherited, and change nothing', () => {
    class Settings {
      host = 'db';
      get port() {
        return 5432;
      }
    }
    const settings = Object.defineProperty(new Settings(), 'password', {
      value: 'secret',
      enumerable: false,
    });
    const copy = copyWith(settings, { host: 'other' });
    expect(copy).toBeInstanceOf(Settings);
    expect(copy).toMatchObject({ host: 'other', port: 5432 });
    expect(Reflect.get(copy, 'password')).toBe('secret');
    expect(Object.keys(copy)).toEqual(['host']);
    expect(settings.host).toBe('db');
    for (const none of [undefined, null, 'text', 5]) expect(copyWith(none, { a: 1 })).toEqual({ a: 1 });
  });
});

const pong = async () => 'PONG';
function duplicates(members: object) {
  const given: object[] = [];
  const made = emitter({ connect: async () => {}, ping: pong, disconnect: vi.fn(), ...members });
  return { given, made, duplicate: (options: object) => (given.push(options), made) };
}
const ioredis = (more: object) => emitter({ status: 'ready', ping: pong, disconnect: unused, ...more });
const nodeRedis = (more: object) =>
  emitter({ isOpen: true, isReady: true, ping: pong, sendCommand: unused, ...more });

describe('Redis', () => {
  const dup = (members: object = {}) => ({ duplicate: duplicates(members).duplicate });
  const fails = { connect: async () => Promise.reject(refused) };
  const nonsense = { ping: async () => 'nonsense' };
  it.each<[string, object, object]>([
    ['ioredis', ioredis(dup()), works],
    ['ioredis that fails', ioredis(dup(fails)), refuses],
    ['ioredis that answers nonsense', ioredis(dup(nonsense)), wrong],
    ['ioredis, a cluster', ioredis({ isCluster: true, ...dup() }), impossible],
    ['ioredis that cannot be doubled', ioredis({}), impossible],
    ['ioredis whose double is none', ioredis(dup({ connect: undefined })), impossible],
    ['AdonisJS', { connection: () => ({ ioConnection: ioredis(dup()) }), quitAll: unused }, works],
    ['a connection of AdonisJS', { ioConnection: ioredis(dup(fails)) }, refuses],
    ['a connection of AdonisJS without a client', { ioConnection: undefined }, impossible],
    ['node-redis', nodeRedis(dup()), works],
    ['node-redis that fails', nodeRedis(dup(fails)), refuses],
    ['node-redis that answers nonsense', nodeRedis(dup(nonsense)), wrong],
    ['node-redis that cannot be doubled', nodeRedis({}), impossible],
    ['node-redis whose double is none', nodeRedis(dup({ ping: undefined })), impossible],
    ['node-redis, a pool', emitter({ isOpen: true, ping: pong, sendCommand: unused, ...dup() }), impossible],
    ['node-redis, a cluster', nodeRedis({ getRandomNode: unused, nodeClient: unused, ...dup() }), impossible],
    ['GLIDE', { ping: pong, customCommand: unused, close: unused }, impossible],
  ])('%s', async (_what, client, opinion) => {
    expect(await onStore(client)).toEqual(opinion);
  });

  it('ioredis tells in an event why it fails', async () => {
    const { made, duplicate } = duplicates({
      async connect() {
        made.emit('error', refused);
        made.emit('error', new Error('later'));
        throw new Error('Connection is closed.');
      },
    });
    expect(await onStore(ioredis({ duplicate }))).toEqual(refuses);
  });

  it.each(['destroy', 'disconnect'])(
    'a double of node-redis has the same socket, and is left by %s()',
    async (method) => {
      const leave = vi.fn();
      const { given, duplicate } = duplicates({ disconnect: undefined, [method]: leave });
      expect(await onStore(nodeRedis({ duplicate, options: { socket: { host: 'db', tls: true } } }))).toEqual(
        works,
      );
      expect(await onStore(nodeRedis({ duplicate }))).toEqual(works);
      expect(leave).toHaveBeenCalledTimes(2);
      const own = { reconnectStrategy: false, connectTimeout: expect.any(Number) };
      expect(given).toMatchObject([{ socket: { host: 'db', tls: true, ...own } }, { socket: own }]);
    },
  );
});
