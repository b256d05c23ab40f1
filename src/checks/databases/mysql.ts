import { call, hasMethods, isObject, numberOf, property, shape } from '../client.js';
import { addListener, onAcquire } from '../listening.js';
import { abandon, ignore, quietly } from '../pools/abandoned.js';
import type { PoolUsage } from '../pools/pool.js';
import { notReady } from '../reasons.js';
import { kind } from '../recognise.js';
import { orAborted } from '../round-trip.js';
import {
  abandonSockets,
  construct,
  copyWith,
  type FreshConnection,
  hasOwnStream,
  identityOf,
} from '../second-opinion/fresh.js';
import { type Held, heldAlone, heldOf, idOf, mysqlStatement } from '../second-opinion/server-word.js';
import { type Database, mysqlDialect, overPool, rowsOf } from './database.js';

/** A connection of mysql2/promise or mariadb. */
interface MysqlConnection {
  query(sql: string): Promise<unknown>;
  ping(): Promise<unknown>;
  destroy(): void;
}

interface MysqlPoolConnection {
  query(sql: string): Promise<unknown>;
  release(): unknown;
  destroy(): unknown;
}

/** `createPool` of mysql2/promise or mariadb. */
interface MysqlPool {
  getConnection(): Promise<MysqlPoolConnection>;
  end(): Promise<void>;
}

/** `createPool` or `createConnection` of mysql2, with callbacks. */
interface MysqlCallbacks {
  promise(): MysqlPool | MysqlConnection;
  readonly execute: unknown;
}

export type MysqlClient = MysqlPool | MysqlConnection | MysqlCallbacks;

const isMysqlPool = shape<MysqlPool>('getConnection', 'query', 'end');

const isMariadbPool = (value: unknown): value is MysqlPool =>
  isMysqlPool(value) && hasMethods(value, 'activeConnections', 'idleConnections', 'taskQueueSize');

/** The connection with callbacks inside one with promises. */
const coreOf = (connection: unknown): unknown => property(connection, 'connection') ?? connection;

/** The pool with callbacks inside one with promises. */
const corePoolOf = (pool: object): unknown => property(pool, 'pool') ?? pool;

const isConnecting = (connection: unknown) => property(connection, 'authorized') === false;

/** The members of mysql2's own kind of list; undefined for anything else. */
function membersOf(pool: object, list: string): readonly unknown[] | undefined {
  const members = property(corePoolOf(pool), list);
  const length = numberOf(members, 'length');
  if (length === undefined || !hasMethods(members, 'get')) return undefined;
  return Array.from({ length }, (_each, index) => call(members, 'get', index));
}

const connectionsOf = (pool: object) => membersOf(pool, '_allConnections') ?? [];

const mysqlPool = (pool: MysqlPool): Database =>
  overPool(
    mysqlDialect,
    {
      acquire: () => pool.getConnection(),
      opening: () => connectionsOf(pool).filter(isConnecting),
      cancel: abandonMysql2,
      release: (connection) => connection.release(),
      destroy: (connection) => abandonMysql2(coreOf(connection)),
      usage: () => mysql2Usage(pool),
    },
    (connection, sql) => connection.query(sql),
    {
      connect: (time) => connectAsPool(corePoolOf(pool), time),
      onCheckout: onAcquire(corePoolOf(pool)),
      held: () => heldByMysql2(pool),
    },
  );

const abandonMysql2 = (connection: unknown) =>
  abandon(property(connection, 'stream'), () => call(connection, 'destroy'));

function mysql2Usage(pool: MysqlPool): PoolUsage | undefined {
  const free = membersOf(pool, '_freeConnections');
  if (free === undefined) return undefined;
  const all = connectionsOf(pool);
  const connecting = all.filter(isConnecting).length;
  // No limit is written as 0.
  const max = numberOf(property(corePoolOf(pool), 'config'), 'connectionLimit') || undefined;
  const waiting = membersOf(pool, '_connectionQueue')?.length;
  return { used: all.length - free.length - connecting, max, waiting, connecting };
}

function heldByMysql2(pool: MysqlPool): Held {
  const free = new Set(membersOf(pool, '_freeConnections'));
  const used = connectionsOf(pool).filter((each) => !free.has(each) && !isConnecting(each));
  return heldOf(used, membersOf(pool, '_connectionQueue')?.[0]);
}

/**
 * The `destroy` of mariadb has a second connection kill the session, and if the server has forgotten that session, an
 * unhandled rejection ends the process. So its socket is dropped, which only an event shows.
 */
function mariadbPool(pool: MysqlPool): Database {
  const sockets = new WeakMap<MysqlPoolConnection, unknown>();
  const checkOut = async () => {
    const acquired: unknown[] = [];
    const stop = addListener(pool, 'acquire', (connection) => acquired.push(connection));
    try {
      const connection = await pool.getConnection();
      const raw = acquired.findLast((each) => idOf(each) === idOf(connection));
      sockets.set(connection, property(raw, 'socket'));
      return connection;
    } finally {
      stop();
    }
  };
  return overPool(
    mysqlDialect,
    {
      acquire: checkOut,
      release: (connection) => connection.release(),
      destroy(connection) {
        const socket = sockets.get(connection);
        return abandon(socket, () => call(socket, 'emit', 'error', new Error('The check was abandoned')));
      },
      usage: () => ({
        // Its limit is unknown. A pool with idle connections is not full: it waits for an answer of one of them.
        used: Number(call(pool, 'activeConnections')),
        waiting: Number(call(pool, 'taskQueueSize')),
        connecting: Number(call(pool, 'idleConnections')) > 0 ? 1 : 0,
      }),
      endsRequests: true,
    },
    (connection, sql) => connection.query(sql),
  );
}

const mysqlConnection = (connection: MysqlConnection): Database => ({
  dialect: mysqlDialect,
  async query(sql, signal) {
    if (isDead(connection)) throw causeOfDeath(connection);
    const answer = connection.query(sql);
    try {
      return rowsOf(await orAborted(answer, signal));
    } catch (thrown) {
      // mysql2 never answers queries sent while the login failed; any other answer will still come.
      if (!signal.aborted || isDead(connection)) throw thrown;
      return rowsOf(await answer);
    }
  },
  opinion: {
    connect: (time) => connectAsConnection(coreOf(connection), time),
    held: () => heldAlone(coreOf(connection)),
  },
});

/** A connection that was never made has kept the error. */
function causeOfDeath(connection: MysqlConnection): Error {
  const core = coreOf(connection);
  const cause = isConnecting(core) ? property(core, '_fatalError') : undefined;
  if (!isObject(cause)) return new Error('Connection closed');
  return notReady('the connection could not be made, and does not try again', cause);
}

const isDead = (connection: MysqlConnection) =>
  /^(error|disconnected)$/.test(
    String(property(connection, 'state') ?? property(coreOf(connection), 'state')),
  );

function mysqlCallbacks(client: MysqlCallbacks): Database {
  const inner = client.promise();
  return isMysqlPool(inner) ? mysqlPool(inner) : mysqlConnection(inner);
}

/** Settings with a connect timeout after ours, which ends a connection that our timer cannot reach. */
const patient = (config: object, time: number) => copyWith(config, { connectTimeout: Math.ceil(time * 2) });

/** mysql2 only shows the class of its pools: makes one more, with one connection, for this opinion. */
function connectAsPool(core: unknown, time: number): FreshConnection | undefined {
  const config = property(core, 'config');
  const connectionConfig = property(config, 'connectionConfig');
  if (!isObject(connectionConfig) || hasOwnStream(connectionConfig)) return undefined;
  const pool = construct(property(core, 'constructor'), {
    config: copyWith(config, {
      connectionConfig: patient(connectionConfig, time),
      connectionLimit: 1,
      // Fewer would start a timer.
      maxIdle: 1,
    }),
  });
  const connected = calledBack((done) => call(pool, 'getConnection', done));
  return pool && freshMysql(connectionsOf(pool)[0], connected);
}

function connectAsConnection(core: unknown, time: number): FreshConnection | undefined {
  const config = property(core, 'config');
  // The class of a connection of a pool wants its pool.
  if (!isObject(config) || hasOwnStream(config) || property(core, '_pool') !== undefined) return undefined;
  const connection = construct(property(core, 'constructor'), { config: patient(config, time) });
  const connected = calledBack((done) => call(connection, 'connect', done));
  return freshMysql(connection, connected);
}

/** A connection with callbacks that is being opened. mysql2 never answers queries sent before the login. */
function freshMysql(connection: unknown, connected: Promise<unknown>): FreshConnection {
  call(connection, 'on', 'error', ignore);
  const plain = property(connection, 'stream');
  const query = async (sql: string) => {
    // Rows in any form that the application's settings produce.
    const options = { sql, rowsAsArray: false, nestTables: false };
    return rowsOf(await calledBack((done) => call(connection, 'query', options, done)));
  };
  // The `end` of a connection of a pool of mysql2 returns it, with a warning.
  const end = hasMethods(connection, '_realEnd') ? '_realEnd' : 'end';
  return {
    answered: connected.then(() => query(mysqlDialect.ping)),
    identity: identityOf(property(connection, 'config')),
    inquiry: { id: () => idOf(connection), query, statement: mysqlStatement },
    end: () => calledBack((done) => call(connection, end, done)),
    close() {
      void quietly(() => call(connection, 'destroy'));
      return abandonSockets(property(connection, 'stream'), plain);
    },
  };
}

const calledBack = (start: (done: (error: unknown, result?: unknown) => void) => unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    start((error, result) => (error === null || error === undefined ? resolve(result) : reject(error)));
  });

export const mysql = [
  kind(['mysql2'], shape<MysqlCallbacks>('promise', 'query', 'execute'), mysqlCallbacks),
  kind(['mariadb'], isMariadbPool, mariadbPool),
  kind(['mysql2/promise'], isMysqlPool, mysqlPool),
  kind([], shape<MysqlConnection>('query', 'ping', 'destroy', 'beginTransaction'), mysqlConnection),
];
