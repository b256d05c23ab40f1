import type { Opinion } from '../../core/heartbeat/check.js';
import { call, hasMethods, property } from '../client.js';
import { deadAfter, leakedAfter, unansweredAfter } from '../pools/pool.js';

/** A fresh connection, if the state of other connections can be read over it. */
export interface Inquiry {
  /** The number that the driver has from the server for this connection. */
  id(): unknown;
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Reads the state of connections by their numbers, and of this one. */
  readonly statement: (ids: readonly number[]) => string;
}

/** Connections of the application that are in use, by the numbers that the server has for them. */
export interface Held {
  readonly ids: readonly number[];
  /** Those that wait for an answer, with a way to close them; of drivers that show it. */
  readonly waiting: readonly Waiting[];
  /** Milliseconds without a query after which such a connection may be leaked or dead. */
  readonly idleAfter: number;
  /** Whether a request may hold one of them while it does something else. */
  readonly pooled: boolean;
  /** The first in the queue of a pool that does not report each checkout. */
  readonly next?: unknown;
}

export interface Waiting {
  readonly id: number;
  isWaiting(): boolean;
  /** Closes it: its query fails, and the pool makes another connection. */
  close(): void;
}

export interface SessionState {
  readonly id: number;
  readonly running: boolean;
  /** Whether its query waits for a lock; `holder` is the session that has the lock, if known. */
  readonly locked: boolean;
  readonly holder: number | undefined;
  /** Milliseconds since its state changed. */
  readonly since: number;
}

// Only numbers and states: the text of a query may hold anything.
export const postgresStatement = (ids: readonly number[]): string =>
  `SELECT pid AS id, pid = pg_backend_pid() AS own, CASE WHEN state <> 'disabled' THEN state NOT LIKE 'idle%' END AS running, \
COALESCE(wait_event_type = 'Lock', false) AS locked, CASE WHEN wait_event_type = 'Lock' THEN (pg_blocking_pids(pid))[1] END AS holder, \
EXTRACT(EPOCH FROM clock_timestamp() - state_change) AS since \
FROM pg_stat_activity WHERE usename = session_user AND pid IN (${[...ids, 'pg_backend_pid()'].join()})`;

export const mysqlStatement = (ids: readonly number[]): string =>
  `SELECT ID AS id, ID = CONNECTION_ID() AS own, COMMAND <> 'Sleep' AS running, \
COALESCE(STATE LIKE 'Waiting for%lock%', 0) AS locked, NULL AS holder, TIME AS since \
FROM information_schema.PROCESSLIST WHERE ID IN (${[...ids, 'CONNECTION_ID()'].join()})`;

/** The server's report about connections; undefined if it cannot be read. Rejects if it refuses. */
export async function askServer(
  inquiry: Inquiry,
  { ids }: Held,
): Promise<readonly SessionState[] | undefined> {
  if (ids.length === 0 || !ids.every((id) => Number.isSafeInteger(id) && id >= 0)) return undefined;
  const rows = await inquiry.query(inquiry.statement(ids));
  const own = rows.find((row) => isTrue(row['own']));
  // The numbers of a proxy such as PgBouncer mean nothing to the server.
  if (own === undefined || Number(own['id']) !== Number(inquiry.id())) return undefined;
  const states = rows.filter((row) => row !== own);
  // Hidden, as for another user's connections, or not recorded.
  if (states.some(({ running }) => running === null)) return undefined;
  return states.map((row) => ({
    id: Number(row['id']),
    running: isTrue(row['running']),
    locked: isTrue(row['locked']),
    holder: typeof row['holder'] === 'number' ? row['holder'] : undefined,
    since: Number(row['since']) * 1000,
  }));
}

const isTrue = (value: unknown) => value === true || Number(value) === 1;

/**
 * Whether connections in use are busy, leaked or dead. The evidence has numbers and no text of a query. `mayBeHeld` says whether a request may
 * hold one that has run nothing for this many milliseconds.
 */
export function opinionOn(
  { ids, idleAfter, pooled }: Held,
  states: readonly SessionState[],
  mayBeHeld: (idleFor: number) => boolean,
): Opinion {
  const all = ids.length;
  const running = states.filter((state) => state.running);
  if (running.length > 0) {
    return {
      scope: 'shared',
      evidence: `${running.length} of ${all} are running queries${lockText(running)}`,
    };
  }
  const gone = all - states.length;
  const resting = states.filter(({ since }) => !(since >= idleAfter));
  if (resting.length > 0) {
    const evidence = `${resting.length} of ${all} ran a query within the last ${idleAfter / 1000} s`;
    return { scope: 'shared', evidence };
  }
  // Also those that the server has closed: a request that holds one notices when it uses it.
  if (pooled && mayBeHeld(Math.min(...states.map(({ since }) => since)))) {
    return { scope: 'shared', evidence: `requests may hold the ${all} connections, which run no query` };
  }
  const parts = [
    ...(states.length > 0 ? [`${states.length} of ${all} run no query`] : []),
    ...(gone > 0 ? [`the server does not know ${gone} of ${all}`] : []),
  ];
  return { scope: 'instance', evidence: `leaked or dead: ${parts.join(', ')}; a fresh connection works` };
}

/** Closes connections whose driver waits for an answer while the server runs nothing for them. Returns how many. */
export function closeDead({ waiting }: Held, states: readonly SessionState[]): number {
  const alive = new Set(
    states.filter(({ running, since }) => running || !(since >= deadAfter)).map(({ id }) => id),
  );
  const dead = waiting.filter((each) => !alive.has(each.id) && each.isWaiting());
  for (const each of dead) each.close();
  return dead.length;
}

function lockText(running: readonly SessionState[]): string {
  const locked = running.filter((state) => state.locked);
  if (locked.length === 0) return '';
  const waiting = new Set(locked.map(({ id }) => id));
  const holders = locked.flatMap(({ holder }) => holder ?? []);
  // One that waits itself is not the cause.
  const holder = holders.find((each) => !waiting.has(each)) ?? holders[0];
  return `, ${locked.length} of them wait for a lock${holder === undefined ? '' : ` held by pid ${holder}`}`;
}

/** The server's number for a connection: drivers of PostgreSQL and of MySQL have their own name for it. */
export const idOf = (connection: unknown): number =>
  Number(property(connection, 'processID') ?? property(connection, 'threadId') ?? Number.NaN);

export const heldOf = (connections: readonly unknown[], next?: unknown): Held => ({
  ids: connections.map(idOf),
  waiting: connections.flatMap((connection) => waitingOn(connection) ?? []),
  idleAfter: leakedAfter,
  pooled: true,
  next,
});

/** The pending query of a connection, as pg and mysql2 expose it. */
const questionOf = (connection: unknown) =>
  property(connection, '_activeQuery') ?? property(connection, '_command') ?? undefined;

function waitingOn(connection: unknown): Waiting | undefined {
  const question = questionOf(connection);
  const stream = property(connection, 'connection', 'stream') ?? property(connection, 'stream');
  // One that is paused has an answer that was not read yet.
  if (question === undefined || !hasMethods(stream, 'destroy', 'isPaused')) return undefined;
  return {
    id: idOf(connection),
    isWaiting: () => questionOf(connection) === question && call(stream, 'isPaused') !== true,
    close: () => void call(stream, 'destroy', new Error('The server does not know of this query')),
  };
}

/** One connection that everything shares. Nothing replaces it: the application decides. */
export const heldAlone = (connection: unknown): Held => ({
  ids: [idOf(connection)],
  waiting: [],
  idleAfter: unansweredAfter,
  pooled: false,
});
