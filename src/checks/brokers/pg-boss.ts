import { call, property } from '../client.js';
import { orAborted } from '../flight.js';
import type { PgBossLike } from '../progress/client-shapes.js';
import { type Broker, closed } from './broker.js';

/** pg-boss has its broker in PostgreSQL. */
export const pgBoss = (boss: PgBossLike): Broker => ({
  name: 'the pg-boss database',
  async ping({ signal }) {
    const db = boss.getDb();
    // Version 12 throws then, version 10 returns nothing.
    if (property(db, 'opened') === false) throw closed();
    const answer = await orAborted(Promise.resolve(call(db, 'executeSql', 'SELECT 1', [])), signal);
    if (!Array.isArray(property(answer, 'rows'))) throw closed();
  },
});
