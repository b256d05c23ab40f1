import { call, isObject, property, textOf } from '../client.js';
import { Unconnected } from '../brokers/broker.js';
import { listen } from '../listening.js';
import { type Consumer, type ConsumerSettings, type Seen, Tally } from './consumer.js';
import type { PgBossLike } from './client-shapes.js';

/** pg-boss tells every two seconds at most what its workers do; how much is due is a question to its table. */
export function pgBoss(boss: PgBossLike, { queue, life }: ConsumerSettings): Consumer {
  const tally = new Tally();
  let stopped = false;
  let seen = '';
  listen(life, boss, 'wip', (workers) => {
    const own = (Array.isArray(workers) ? workers : []).filter(
      (each: unknown) => property(each, 'name') === queue,
    );
    // A worker that starts a job has ended the one before.
    const now = own
      .map((each: unknown) =>
        ['id', 'lastJobStartedOn', 'lastJobEndedOn']
          .map((name) => Number(property(each, name)) || String(property(each, name)))
          .join(),
      )
      .join(';');
    if (now !== seen) tally.done();
    seen = now;
  });
  listen(life, boss, 'stopped', () => {
    stopped = true;
  });
  return {
    name: String(queue),
    async look(): Promise<Seen> {
      if (stopped) return { ...tally.seen, stopped: 'the application has stopped pg-boss' };
      return { ...tally.seen, backlog: await due(boss, String(queue)) };
    },
  };
}

/** Jobs that could be fetched now: those of later, which pg-boss counts too, do not wait. */
async function due(boss: PgBossLike, queue: string): Promise<number> {
  const db = boss.getDb();
  const schema = textOf(property(property(db, 'config'), 'schema')) ?? 'pgboss';
  if (!isObject(db) || !/^\w+$/.test(schema)) throw new Unconnected('missing', 'pg-boss exposes no database');
  const answer = await call(
    db,
    'executeSql',
    `SELECT count(*) AS count FROM ${schema}.job WHERE name = $1 AND state < 'active' AND start_after < now()`,
    [queue],
  );
  const rows = property(answer, 'rows');
  if (!Array.isArray(rows)) throw new Unconnected('missing', 'pg-boss is not started');
  return Number(property(rows[0], 'count'));
}
