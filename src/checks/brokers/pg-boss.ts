import { call, property } from '../client.js';
import { orAborted } from '../flight.js';
import type { PgBossLike } from '../progress/client-shapes.js';
import { type Broker, closed } from './broker.js';

/** pg-boss has its broker in PostgreSQL. */
export const pgBoss = (boss: PgBossLike): Broker => ({
  name: 'the pg-boss database',
  async ping({ signal }) {
    const answer = await orAborted(Promise.resolve(call(boss.getDb(), 'executeSql', 'SELECT 1', [])), signal);
    // Where it is not started, it has no answer for anything.
    if (!Array.isArray(property(answer, 'rows'))) throw closed();
  },
});
