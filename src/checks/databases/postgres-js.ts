import { deadlineOf } from '../../core/heartbeat/abort.js';
import { within } from '../../core/deadlines.js';
import { property } from '../client.js';
import { maxBackoff, waitingShare, minBackoff } from '../pools/lending.js';
import { NoConnection } from '../pools/pool.js';
import { type Database, rowsOf } from './database.js';
import { postgresql as dialect } from './dialect.js';
import type { PostgresJs } from './driver-shapes.js';

/** A query that was handed to postgres.js. */
interface PendingQuery {
  readonly sql: string;
  readonly query: PromiseLike<readonly unknown[]>;
  readonly answer: Promise<unknown>;
  /** When another one may be asked beside it. */
  readonly until: number;
}

export const postgresJs = (client: PostgresJs): Database => ({ dialect, query: queryWith(client) });

const late = Symbol('late');

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
    const first = await (time === Infinity ? answer : within<unknown>(answer, time * waitingShare, late));
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
