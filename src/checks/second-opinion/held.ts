import { leakedAfter, unansweredAfter } from './limits.js';
import { call, hasMethods, numberOf, property } from '../client.js';
import type { MysqlPool, PgPool } from '../databases/driver-shapes.js';
import { connectionsOf, corePoolOf } from '../databases/mysql.js';
import type { Held, Waiting } from './server-word.js';

/** The server's number for a connection: drivers of PostgreSQL and of MySQL have their own name for it. */
export const idOf = (connection: unknown): number =>
  Number(property(connection, 'processID') ?? property(connection, 'threadId') ?? Number.NaN);

const heldOf = (connections: readonly unknown[], next?: unknown): Held => ({
  ids: connections.map(idOf),
  waiting: connections.flatMap((connection) => waitingOn(connection) ?? []),
  idleAfter: leakedAfter,
  lent: true,
  next,
});

/** The pending query of a connection, as pg and mysql2 expose it. */
const questionOf = (connection: unknown) =>
  property(connection, '_activeQuery') ?? property(connection, '_command') ?? undefined;

function waitingOn(connection: unknown): Waiting | undefined {
  const question = questionOf(connection);
  const stream = property(property(connection, 'connection'), 'stream') ?? property(connection, 'stream');
  // One that is paused has an answer that was not read yet.
  if (question === undefined || !hasMethods(stream, 'destroy', 'isPaused')) return undefined;
  return {
    id: idOf(connection),
    isWaiting: () => questionOf(connection) === question && call(stream, 'isPaused') !== true,
    close: () => void call(stream, 'destroy', new Error('The server does not know of this query')),
  };
}
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Clients of a pg pool that are neither idle nor being made. */
export function heldByPg(pool: PgPool): Held {
  const idle = new Set(listOf(property(pool, '_idle')).map((item) => property(item, 'client')));
  const lent = listOf(property(pool, '_clients')).filter(
    (client) => !idle.has(client) && property(client, '_connected') !== false,
  );
  return heldOf(lent);
}

/** Connections of a mysql2 pool that are neither free nor being made. */
export function heldByMysql2(pool: MysqlPool): Held {
  const list = property(corePoolOf(pool), '_freeConnections');
  const length = numberOf(list, 'length') ?? 0;
  const free = new Set(Array.from({ length }, (_each, index) => call(list, 'get', index)));
  const lent = connectionsOf(pool).filter(
    (connection) => !free.has(connection) && property(connection, 'authorized') !== false,
  );
  return heldOf(lent, call(property(corePoolOf(pool), '_connectionQueue'), 'get', 0));
}

/** One connection that everything shares. */
export const heldAlone = (connection: unknown): Held => {
  // Nothing replaces it: the application decides.
  return { ids: [idOf(connection)], waiting: [], idleAfter: unansweredAfter, lent: false };
};
