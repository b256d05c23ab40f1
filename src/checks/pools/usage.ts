import { optionInvalid } from '../../core/options/errors.js';
import { clientUnsupported } from '../errors.js';
import { type CheckMessage, Info } from '../../core/heartbeat/messages.js';
import { type Check, withScope } from '../../core/heartbeat/check.js';
import { type DatabaseClient, databases } from '../databases/index.js';
import { named } from '../client.js';
import { type PoolUsage, usageText } from './pool.js';
import { judge, percent, thresholdsIn, type Thresholds } from '../thresholds.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';

/** Options of `checks.poolUsage`; `warn` and `error` are shares of the pool, 0.8 and none by default. */
export interface PoolUsageOptions extends Thresholds {
  /** The maximum number of connections, for clients that do not report it, such as mariadb. */
  readonly max?: number;
}

/**
 * A check of how many connections of a pool are in use: `health.E024`. It uses none itself.
 *
 * @example health.check('pool', checks.poolUsage(pool, { warn: 0.8, error: 1 }));
 */
export function poolUsage(client: DatabaseClient, options: PoolUsageOptions = {}): Check {
  const thresholds = thresholdsIn('poolUsage', options, ['max'], 1, { warn: 0.8 });
  const { max } = options;
  if (max !== undefined && !(Number.isInteger(max) && max > 0)) {
    throw optionInvalid('Option max of checks.poolUsage', max, 'an integer above 0', 'Fix it or omit it.');
  }
  const database = databases.require(client)();
  if (database.usage === undefined) throw clientUnsupported('poolUsage', client, clientsWithUsage);
  const messagesOf = (usage: PoolUsage | undefined): readonly CheckMessage[] => {
    const limit = max ?? usage?.max;
    if (usage === undefined || limit === undefined) {
      return [
        new Info('The pool does not report its maximum number of connections', {
          id: messageIds.poolUsageUnknown,
        }),
      ];
    }
    const ratio = usage.used / limit;
    const text = (threshold: number) =>
      `The pool has ${usageText({ ...usage, max: limit })}, ${percent(ratio)}, above ${percent(threshold)}`;
    return judge(ratio, thresholds, messageIds.poolUsage, text);
  };
  const check = named('pool_usage', () => messagesOf(database.usage?.()));
  // Load hits all instances: taking one out leaves more for the others.
  return withScope(check, 'shared');
}

const clientsWithUsage = [
  'pg Pool',
  'mysql2 and mariadb pools',
  'Knex',
  'TypeORM',
  'Sequelize',
  'MikroORM',
  'Lucid',
  'Drizzle over them',
];
