import { type Check, withScope } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, Info } from '../../core/heartbeat/messages.js';
import { optionInvalid } from '../../core/options/errors.js';
import { hasMethods, isObject, named, property } from '../client.js';
import { type SelfHealing, withErrorListener } from '../listening.js';
import { usageText } from '../pools/pool.js';
import { type Findings, messageOfFailure, reasonOf, reportingBy } from '../reasons.js';
import { clientUnsupported, Family, type Kind, recognise } from '../recognise.js';
import { oneAtATime } from '../round-trip.js';
import { opinionBy } from '../second-opinion/opinion.js';
import { judge, percent, type Thresholds, thresholdsIn } from '../thresholds.js';
import type { Database } from './database.js';
import { type DriverClient, drivers } from './drivers.js';
import { isTypeorm, type OrmDatabase, orms, poolOfPrisma, poolOfTypeorm } from './orms.js';
import { isPgPool } from './postgresql.js';
import { builders, type KnexDatabase, type KyselyDatabase } from './query-builders.js';

/** A Drizzle database, made with `drizzle(client)`. */
export interface DrizzleDatabase {
  readonly $client: DriverClient;
}

/** The values of the option `db`: a client of any of these libraries, as the application made it. */
export type DatabaseClient = DriverClient | KnexDatabase | KyselyDatabase | DrizzleDatabase | OrmDatabase;

// Libraries that wrap others come first: some of them expose the methods of the wrapped client.
const kinds: readonly Kind<() => Database>[] = [
  // Drizzle passes queries to the client it was made with: so does the check, which can destroy a connection of that one.
  { names: ['Drizzle'], recognise: (value) => recognise(drivers, property(value, '$client')) },
  ...orms,
  ...builders,
  ...drivers,
];

export const databases = new Family<DatabaseClient, () => Database>('db', kinds);

/**
 * The pool that a client uses, if it shows it, or the client itself: two clients over one pool are one
 * database. Kysely does not show its pool.
 */
export function poolBelow(client: unknown): unknown {
  const below =
    property(client, '$client') ??
    (isTypeorm(client) ? poolOfTypeorm(client) : poolOfPrisma(client)) ??
    (hasMethods(client, 'getConnection', 'end') ? property(client, 'pool') : undefined);
  return isObject(below) ? poolBelow(below) : client;
}

export function pgPoolBelow(client: unknown): SelfHealing | undefined {
  const pool = poolBelow(client);
  return isPgPool(pool) ? { client: pool, name: 'pg pool', variable: 'pool' } : undefined;
}

/**
 * The check `check_database_connected`: one round trip over the application's own client.
 *
 * @example health.check('orders_database', checkDatabaseConnected(pool));
 */
export function checkDatabaseConnected(client: DatabaseClient): Check {
  return databaseCheck(client);
}

/** The same for any value of an option. */
export function databaseCheck(client: unknown, option?: string): Check {
  const database = databases.require(client, option)();
  const ping = oneAtATime(async (signal) => void (await database.query(database.dialect.ping, signal)));
  const check = reportingBy((thrown) => messageOfFailure(findings, reasonOf(thrown)), ping);
  const usage = () => database.usage?.();
  const opinion = opinionBy(poolBelow(client), { ...database.opinion, usage, queues: true });
  return withErrorListener(
    withScope(named('check_database_connected', check), 'auto', opinion),
    pgPoolBelow(client),
  );
}

const unreachable = 'Cannot connect to the database';

const findings: Findings = {
  unreachable: [
    messageIds.databaseUnreachable,
    unreachable,
    'Check that the server is up, and that the host and port in the settings are right.',
  ],
  full: [
    messageIds.databaseUnreachable,
    unreachable,
    'Look for connections that are not needed, or allow more of them on the server.',
  ],
  exhausted: [
    messageIds.poolExhausted,
    '',
    'Look for connections that are never released and for slow queries, or increase the pool size.',
  ],
  broken: [
    messageIds.databaseUnusable,
    'Database connection unusable',
    'The connection was open but no longer works: see the database log.',
  ],
  misconfigured: [
    messageIds.databaseMisconfigured,
    'Database misconfigured',
    'Compare the user, password and database name with those on the server.',
  ],
  other: [
    messageIds.databaseError,
    'Database driver error',
    "Look up the error code in the database's manual.",
  ],
};

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
  if (database.usage === undefined) throw clientUnsupported('poolUsage', client, [clientsWithUsage]);
  const check = named('pool_usage', (): readonly CheckMessage[] => {
    const usage = database.usage?.();
    const limit = max ?? usage?.max;
    if (usage === undefined || limit === undefined) {
      const text = 'The pool does not report its maximum number of connections';
      return [new Info(text, { id: messageIds.poolUsageUnknown })];
    }
    const ratio = usage.used / limit;
    const text = (threshold: number) =>
      `The pool has ${usageText({ ...usage, max: limit })}, ${percent(ratio)}, above ${percent(threshold)}`;
    return judge(ratio, thresholds, messageIds.poolUsage, text);
  });
  // Load hits all instances: taking one out leaves more for the others.
  return withScope(check, 'shared');
}

const clientsWithUsage =
  'pg Pool, mysql2 and mariadb pools, Knex, TypeORM, Sequelize, MikroORM, Lucid, Drizzle over them';
