import { call, hasMethods, isObject, listOf, numberOf, property, shape, textOf } from '../client.js';
import { listen } from '../listening.js';
import { Failure, notOpen } from '../reasons.js';
import { kind } from '../recognise.js';
import { orAborted } from '../round-trip.js';
import type { Broker, Consumer, ConsumerSettings, Seen } from './broker.js';

/** A `PgBoss` of pg-boss. */
export interface PgBossLike {
  work(name: string, ...more: never): Promise<string>;
  offWork(...given: never): Promise<unknown>;
  getDb(): unknown;
}

const isPgBoss = shape<PgBossLike>('work', 'offWork', 'send', 'getDb', 'on');

/** pg-boss has its broker in PostgreSQL. */
const pgBossBroker = (boss: PgBossLike): Broker => ({
  name: 'the pg-boss database',
  async ping(signal) {
    const db = boss.getDb();
    // Version 12 throws then, version 10 returns nothing.
    if (property(db, 'opened') === false) throw notOpen('connection');
    const answer = await orAborted(Promise.resolve(call(db, 'executeSql', 'SELECT 1', [])), signal);
    if (!Array.isArray(property(answer, 'rows'))) throw notOpen('connection');
  },
});

/** pg-boss 12 exposes its workers' jobs, version 10 only every two seconds at most; the number of due jobs needs a query. */
function pgBossQueue(boss: PgBossLike, { queue, life }: ConsumerSettings): Consumer {
  let mark = 0;
  /** Its pool when it was stopped: a new start creates another one. */
  let stopped: { readonly pool: unknown } | undefined;
  let seen = '';
  const note = (workers: unknown): readonly unknown[] => {
    const own = listOf(workers).filter((each) => property(each, 'name') === queue);
    const now = own.map(stateOf).join(';');
    if (now !== seen) mark += 1;
    seen = now;
    return own;
  };
  listen(life, boss, 'wip', note);
  listen(life, boss, 'stopped', () => (stopped = { pool: property(boss.getDb(), 'pool') }));
  /** Jobs in progress, which the event reports too rarely. */
  const running = () =>
    note(call(boss, 'getWipData')).reduce((sum: number, each) => sum + (numberOf(each, 'count') ?? 0), 0);
  return {
    name: String(queue),
    async read(): Promise<Seen> {
      const db = boss.getDb();
      const pool = property(db, 'pool');
      const isClosed = property(db, 'opened') === false && pool !== undefined;
      if (isClosed || (stopped !== undefined && stopped.pool === pool))
        return { mark, stopped: 'the application has stopped pg-boss' };
      const held = hasMethods(boss, 'getWipData') ? running() : 0;
      return { mark, pending: held + (await due(db, String(queue))) };
    },
  };
}

/** Changes when a worker starts or ends a job. */
const stateOf = (worker: unknown) =>
  ['id', 'lastJobStartedOn', 'lastJobEndedOn']
    .map((name) => Number(property(worker, name)) || String(property(worker, name)))
    .join();

/** Jobs that could be fetched now: later ones, which pg-boss counts too, do not wait. */
async function due(db: unknown, queue: string): Promise<number> {
  const schema = textOf(property(db, 'config', 'schema')) ?? 'pgboss';
  if (!isObject(db) || !/^\w+$/.test(schema)) throw new Failure('pg-boss exposes no database', 'missing');
  if (property(db, 'opened') === false) throw notStarted();
  const answer = await call(
    db,
    'executeSql',
    `SELECT count(*) AS count FROM ${schema}.job WHERE name = $1 AND state < 'active' AND start_after < now()`,
    [queue],
  );
  const rows = property(answer, 'rows');
  if (!Array.isArray(rows)) throw notStarted();
  return Number(property(rows[0], 'count'));
}

const notStarted = () => new Failure('pg-boss is not started', 'missing');

export const pgBoss = kind(['pg-boss'], isPgBoss, pgBossBroker);
export const pgBossConsumer = kind(['pg-boss'], isPgBoss, pgBossQueue);
