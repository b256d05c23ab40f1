import { deadlineOf } from '../../core/heartbeat/run.js';
import { hasMethods, property } from '../client.js';
import { late, unlessLate } from '../flight.js';
import { maxBackoff, minBackoff } from '../pools/lending.js';
import { NoConnection } from '../pools/pool.js';
import { kind } from '../recognise.js';
import { type Database, postgresqlDialect as dialect, rowsOf } from './database.js';

/** `sql` of postgres (postgres.js). */
export interface PostgresJs {
  unsafe(sql: string): PromiseLike<readonly unknown[]>;
  reserve(): PromiseLike<unknown>;
  notify(channel: string, payload: string): unknown;
}

const isPostgresJs = (value: unknown): value is PostgresJs =>
  hasMethods(value, 'unsafe', 'reserve', 'notify');

/** A query that was handed to postgres.js. */
interface PendingQuery {
  readonly sql: string;
  readonly query: PromiseLike<readonly unknown[]>;
  readonly answer: Promise<unknown>;
  /** When another one may be asked beside it. */
  readonly until: number;
}

export const postgresJs = kind(['postgres'], isPostgresJs, (client): Database => ({
  dialect,
  query: queryWith(client),
}));

/**
 * postgres.js lends no connection that could be taken back: `reserve()` loses a slot for each connection that
 * fails. If none is free it sends a query after others: one that has not begun is left to the next run.
 */
function queryWith(client: PostgresJs): Database['query'] {
  let left: PendingQuery | undefined;
  let backoff = minBackoff;

  function send(sql: string, time: number): PendingQuery {
    const kept = left;
    left = undefined;
    if (kept?.sql === sql && performance.now() < kept.until) return kept;
    if (kept !== undefined) backoff = Math.min(backoff * 2, maxBackoff);
    const query = client.unsafe(sql);
    return { sql, query, answer: Promise.resolve(query), until: performance.now() + time * backoff };
  }

  return async (sql, { signal }) => {
    const time = deadlineOf(signal) - performance.now();
    const asked = send(sql, time);
    const { answer, query } = asked;
    const first = await unlessLate(answer, signal);
    if (first === late && property(query, 'active') !== true) {
      left = asked;
      const forget = () => {
        if (left === asked) left = undefined;
      };
      answer.then(forget, forget);
      throw new NoConnection(undefined);
    }
    backoff = minBackoff;
    // One that has begun holds its slot until the server answers.
    return rowsOf(await answer);
  };
}
