import { call, hasMethods, isObject, NotReady, numberOf, property } from '../client.js';
import { orAborted } from '../flight.js';
import { addListener, addErrorMonitor } from '../listening.js';
import { lending } from '../pools/lending.js';
import { partFrom, wasAccepted } from '../pools/parting.js';
import type { PoolUsage } from '../pools/pool.js';
import { type Database, rowsOf } from './database.js';
import { mysql as dialect } from './dialect.js';
import { watchRefused } from './mariadb-refused.js';
import {
  isMysqlPool,
  type MysqlCallbacks,
  type MysqlConnection,
  type MysqlPool,
  type MysqlPoolConnection,
} from './driver-shapes.js';

export function mysqlPool(pool: MysqlPool): Database {
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
  };
}

/** mariadb asks a connection before it lends it, and ends requests after its `acquireTimeout`. */
export const isMariadb = (pool: MysqlPool) =>
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
    watchRefused(pool, refused),
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
export const partFromMariadb = (socket: unknown): ReturnType<typeof partFrom> =>
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
export const corePoolOf = (pool: object): unknown => property(pool, 'pool') ?? pool;

/** The connections in mysql2's own kind of list. */
export function connectionsOf(pool: object): readonly unknown[] {
  const list = property(corePoolOf(pool), '_allConnections');
  const length = numberOf(list, 'length') ?? 0;
  return hasMethods(list, 'get') ? Array.from({ length }, (_each, index) => call(list, 'get', index)) : [];
}

export const mysqlConnection = (connection: MysqlConnection): Database => ({
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

export function mysqlCallbacks(client: MysqlCallbacks): Database {
  const inner = client.promise();
  return isMysqlPool(inner) ? mysqlPool(inner) : mysqlConnection(inner);
}
