import { call, hasMethods, isObject, NotReady, numberOf, property } from '../client.js';
import { orAborted } from '../flight.js';
import { addErrorMonitor, addListener, onAcquire } from '../listening.js';
import { lending, partFrom, quietly, wasAccepted } from '../pools/lending.js';
import type { PoolUsage } from '../pools/pool.js';
import { kind } from '../recognise.js';
import {
  calledBack,
  construct,
  copyWith,
  type FreshConnection,
  hasOwnStream,
  identityOf,
  listenForErrors,
  partFromSockets,
} from '../second-opinion/fresh.js';
import { type Held, heldAlone, heldOf, idOf, mysqlStatement } from '../second-opinion/server-word.js';
import { type Database, mysqlDialect as dialect, rowsOf } from './database.js';

/** A connection of mysql2/promise or mariadb. */
export interface MysqlConnection {
  query(sql: string): Promise<unknown>;
  ping(): Promise<unknown>;
  destroy(): void;
}

/** A connection of their pools. */
interface MysqlPoolConnection {
  query(sql: string): Promise<unknown>;
  release(): unknown;
  destroy(): unknown;
}

/** `createPool` of mysql2/promise or mariadb. */
export interface MysqlPool {
  getConnection(): Promise<MysqlPoolConnection>;
  end(): Promise<void>;
}

/** `createPool` or `createConnection` of mysql2, with callbacks. */
export interface MysqlCallbacks {
  promise(): MysqlPool | MysqlConnection;
  readonly execute: unknown;
}

const isMysqlCallbacks = (value: unknown): value is MysqlCallbacks =>
  hasMethods(value, 'promise', 'query', 'execute');

const isMysqlPool = (value: unknown): value is MysqlPool =>
  hasMethods(value, 'getConnection', 'query', 'end');

const isMysqlConnection = (value: unknown): value is MysqlConnection =>
  hasMethods(value, 'query', 'ping', 'destroy', 'beginTransaction');

function mysqlPool(pool: MysqlPool): Database {
  const usage = () => usageOf(pool);
  const sockets = new WeakMap<MysqlPoolConnection, unknown>();
  const fresh = new WeakSet<object>();
  let refused: unknown;
  const lend = lending<MysqlPoolConnection>({
    acquire() {
      if (isMariadb(pool)) {
        const isNew = (connection: MysqlPoolConnection) => fresh.has(connection);
        return {
          connection: askMariadb(pool, sockets, fresh, (error) => (refused = error)),
          endsItself: true,
          isNew,
        };
      }
      const before = new Set(connectionsOf(pool));
      const connection = pool.getConnection();
      const made = connectionsOf(pool).find((each) => !before.has(each));
      const isNew = (lent: MysqlPoolConnection) => !before.has(coreOf(lent));
      return {
        connection,
        abandon: () => abandon(made),
        wasAccepted: () => wasAccepted(property(made, 'stream')),
        isNew,
      };
    },
    release: (connection) => connection.release(),
    destroy(connection) {
      const socket = sockets.get(connection);
      if (socket !== undefined) return partFromMariadb(socket);
      return partFrom(property(coreOf(connection), 'stream'), () => connection.destroy());
    },
    usage,
    failure: () => refused,
  });
  return {
    dialect,
    usage,
    query: (sql, starter) => lend(async (connection) => rowsOf(await connection.query(sql)), starter),
    opinion: isMariadb(pool)
      ? undefined
      : {
          connect: (time) => overMysqlPool(pool, time),
          onLend: onAcquire(corePoolOf(pool)),
          held: () => heldByMysql2(pool),
        },
  };
}

/** mariadb asks a connection before it lends it, and ends requests after its `acquireTimeout`. */
const isMariadb = (pool: MysqlPool) =>
  hasMethods(pool, 'activeConnections', 'idleConnections', 'taskQueueSize');

/**
 * A connection of mariadb, and its socket, which only an event shows. Its own `destroy` has a second connection kill the
 * first one's session, and if the server has forgotten that session, an unhandled rejection ends the process.
 */
async function askMariadb(
  pool: MysqlPool,
  sockets: WeakMap<MysqlPoolConnection, unknown>,
  fresh: WeakSet<object>,
  refused: (error: unknown) => void,
): Promise<MysqlPoolConnection> {
  const lent: unknown[] = [];
  const made: unknown[] = [];
  const stops = [
    addListener(pool, 'acquire', (connection) => lent.push(connection)),
    addListener(pool, 'connection', (connection) => {
      made.push(property(connection, 'threadId'));
      refused(undefined);
    }),
    // It retries for longer than a check waits, and says why.
    addErrorMonitor(pool, refused),
  ];
  try {
    const connection = await pool.getConnection();
    refused(undefined);
    const threadId = property(connection, 'threadId');
    const raw = lent.findLast((each) => property(each, 'threadId') === threadId);
    sockets.set(connection, property(raw, 'socket'));
    if (made.includes(threadId)) fresh.add(connection);
    return connection;
  } finally {
    for (const stop of stops) stop();
  }
}

/** Drops a connection of mariadb by its socket. */
const partFromMariadb = (socket: unknown): ReturnType<typeof partFrom> =>
  partFrom(socket, () => call(socket, 'emit', 'error', new Error('The check was abandoned')));

/** Ends a connection of mysql2 that is still being made. */
function abandon(made: unknown): ReturnType<typeof partFrom> | false {
  if (!isConnecting(made) || !hasMethods(made, 'destroy')) return false;
  return partFrom(property(made, 'stream'), () => call(made, 'destroy'));
}

/** The pool counts that mysql2 or mariadb exposes. */
function usageOf(pool: MysqlPool): PoolUsage | undefined {
  if (isMariadb(pool)) {
    const used = Number(call(pool, 'activeConnections'));
    // Its limit is unknown. A pool with idle connections is not full: it waits for an answer of one of them.
    const connecting = Number(call(pool, 'idleConnections')) > 0 ? 1 : 0;
    return { used, waiting: Number(call(pool, 'taskQueueSize')), connecting };
  }
  const own = corePoolOf(pool);
  const free = numberOf(property(own, '_freeConnections'), 'length');
  const all = connectionsOf(pool);
  if (free === undefined || numberOf(property(own, '_allConnections'), 'length') === undefined)
    return undefined;
  const connecting = all.filter(isConnecting).length;
  const limit = numberOf(property(own, 'config'), 'connectionLimit');
  return {
    used: all.length - free - connecting,
    // No limit is written as 0.
    max: limit === 0 ? undefined : limit,
    waiting: numberOf(property(own, '_connectionQueue'), 'length'),
    connecting,
  };
}

/** The connection with callbacks inside one with promises. */
const coreOf = (connection: unknown): unknown => property(connection, 'connection') ?? connection;

const isConnecting = (connection: unknown) => property(connection, 'authorized') === false;

/** The pool with callbacks inside one with promises. */
const corePoolOf = (pool: object): unknown => property(pool, 'pool') ?? pool;

/** The connections in mysql2's own kind of list. */
function connectionsOf(pool: object): readonly unknown[] {
  const list = property(corePoolOf(pool), '_allConnections');
  const length = numberOf(list, 'length') ?? 0;
  return hasMethods(list, 'get') ? Array.from({ length }, (_each, index) => call(list, 'get', index)) : [];
}

const mysqlConnection = (connection: MysqlConnection): Database => ({
  dialect,
  async query(sql, { signal }) {
    if (isDead(connection)) throw lostBy(connection);
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
    connect: (time) => overMysqlConnection(connection, time),
    held: () => heldAlone(coreOf(connection)),
  },
});

/** A connection that was never made has kept the error. */
function lostBy(connection: MysqlConnection): Error {
  const core = coreOf(connection);
  const cause = isConnecting(core) ? property(core, '_fatalError') : undefined;
  if (!isObject(cause)) return new Error('Connection closed');
  return new NotReady('the connection could not be made, and does not try again', { cause });
}

function isDead(connection: MysqlConnection): boolean {
  const state = property(connection, 'state') ?? property(property(connection, 'connection'), 'state');
  return state === 'error' || state === 'disconnected';
}

function mysqlCallbacks(client: MysqlCallbacks): Database {
  const inner = client.promise();
  return isMysqlPool(inner) ? mysqlPool(inner) : mysqlConnection(inner);
}

/** The drivers' own timers must not fire before ours, and must end connections that ours cannot reach. */
const beyond = (time: number) => Math.ceil(time * 2);

/** mysql2 shows the class of its pools only: one more, of one freshMysql, which is thrown away. */
function overMysqlPool(pool: MysqlPool, time: number): FreshConnection | undefined {
  const core = corePoolOf(pool);
  const config = property(core, 'config');
  const connectionConfig = property(config, 'connectionConfig');
  if (!isObject(connectionConfig) || hasOwnStream(connectionConfig)) return undefined;
  const one = construct(property(core, 'constructor'), {
    config: copyWith(config, {
      connectionConfig: copyWith(connectionConfig, { connectTimeout: beyond(time) }),
      connectionLimit: 1,
      maxIdle: 1,
      waitForConnections: true,
      queueLimit: 0,
    }),
  });
  if (one === undefined) return undefined;
  const connected = calledBack((done) => call(one, 'getConnection', done));
  const [made] = connectionsOf(one);
  return freshMysql(made, connected);
}

/** A freshMysql of mysql2, with callbacks inside one with promises. */
function overMysqlConnection(client: MysqlConnection, time: number): FreshConnection | undefined {
  const core = property(client, 'connection') ?? client;
  const config = property(core, 'config');
  // The class of a freshMysql of a pool wants its pool.
  if (!isObject(config) || hasOwnStream(config) || property(core, '_pool') !== undefined) return undefined;
  const made = construct(property(core, 'constructor'), {
    config: copyWith(config, { connectTimeout: beyond(time) }),
  });
  return freshMysql(
    made,
    calledBack((done) => call(made, 'connect', done)),
  );
}

/** A freshMysql with callbacks that is being opened. mysql2 never answers queries sent before the login. */
function freshMysql(made: unknown, connected: Promise<unknown>): FreshConnection {
  listenForErrors(made);
  const plain = socketOf(made);
  return {
    answered: connected.then(() => calledBack((done) => call(made, 'query', dialect.ping, done))),
    identity: identityOf(property(made, 'config')),
    inquiry: {
      id: () => idOf(made),
      query: async (sql) => rowsOf(await calledBack((done) => call(made, 'query', plainRows(sql), done))),
      statement: mysqlStatement,
    },
    // The `end` of a freshMysql of a pool of mysql2 gives it back, with a warning.
    end: () => calledBack((done) => call(made, hasMethods(made, '_realEnd') ? '_realEnd' : 'end', done)),
    close() {
      quietly(() => call(made, 'destroy'));
      return partFromSockets(socketOf(made), plain);
    },
  };
}

/** Whatever the application's settings make of rows. */
const plainRows = (sql: string) => ({ sql, rowsAsArray: false, nestTables: false });

const socketOf = (made: unknown) => property(made, 'stream') ?? property(made, '_socket');

/** Connections of a mysql2 pool that are neither free nor being made. */
function heldByMysql2(pool: MysqlPool): Held {
  const list = property(corePoolOf(pool), '_freeConnections');
  const length = numberOf(list, 'length') ?? 0;
  const free = new Set(Array.from({ length }, (_each, index) => call(list, 'get', index)));
  const lent = connectionsOf(pool).filter(
    (connection) => !free.has(connection) && property(connection, 'authorized') !== false,
  );
  return heldOf(lent, call(property(corePoolOf(pool), '_connectionQueue'), 'get', 0));
}

export const mysql = [
  kind(['mysql2'], isMysqlCallbacks, mysqlCallbacks),
  kind(['mysql2/promise', 'mariadb'], isMysqlPool, mysqlPool),
  kind([], isMysqlConnection, mysqlConnection),
];
