import { clientUnsupported } from '../core/options/errors.js';
import type { HealthCore } from '../core/health.js';
import type { Check, CheckOptions } from '../core/heartbeat/check.js';
import { brokerCheck } from './brokers/check.js';
import type { BrokerClient } from './brokers/connected.js';
import { brokerNames, recogniseBroker } from './brokers/shapes.js';
import { databaseCheck } from './databases/check.js';
import type { DatabaseClient } from './databases/connected.js';
import { databaseNames, recogniseDatabase } from './databases/shapes.js';
import { redisCheck } from './key-values/check.js';
import type { RedisClient } from './key-values/connected.js';
import { recogniseRedis, redisNames } from './key-values/shapes.js';
import type { MigrationSource } from './migrations/applied.js';
import { migrationsCheck } from './migrations/check.js';
import { migrationNames, recogniseMigrations } from './migrations/shapes.js';

/** One client, a list of them, or some with names: one check each. */
export type OneOrMore<Client> = Client | readonly Client[] | { readonly [name: string]: Client };

/** The clients of the built-in checks: each one given registers its check. */
export interface BuiltInOptions {
  /**
   * A database client or pool: registers `check_database_connected`. A list registers
   * `check_database_connected_1` and so on; `{ main, replica }` registers `check_database_connected_main` and so on.
   */
  readonly db?: OneOrMore<DatabaseClient> | undefined;
  /** A Redis or memcached client: registers `check_redis_connected`; lists and names as for `db`. */
  readonly redis?: OneOrMore<RedisClient> | undefined;
  /** The source of the migrations: registers `check_migrations_applied`; lists and names as for `db`. */
  readonly migrations?: OneOrMore<MigrationSource> | undefined;
  /** A message broker client, or a function that returns the current one: registers `check_broker_connected`; lists and names as for `db`. */
  readonly broker?: OneOrMore<BrokerClient> | undefined;
}

/** Stands for `{}`, in which every name has a client because it has no name. The compiler says what is missing. */
interface AtLeastOneClient {
  readonly 'a client': never;
}

type NotEmpty<Given, Client> = Given extends unknown
  ? keyof Given extends never
    ? Given extends (...args: never) => unknown
      ? Given | OneOrMore<Client>
      : AtLeastOneClient
    : Given | OneOrMore<Client>
  : never;

/** The same options as they were given: no type of an option refuses `{}` and takes `{ main, replica }`. */
export interface NonEmptyClients<Db, Redis, Migrations, Broker = BrokerClient> {
  readonly db?: NotEmpty<Db, DatabaseClient> | undefined;
  readonly redis?: NotEmpty<Redis, RedisClient> | undefined;
  readonly migrations?: NotEmpty<Migrations, MigrationSource> | undefined;
  readonly broker?: NotEmpty<Broker, BrokerClient> | undefined;
}

/** One built-in check of a client. */
export interface BuiltIn {
  /** The option that takes its client. */
  readonly option: keyof BuiltInOptions;
  /** Its name on the wire. */
  readonly name: string;
  /** The name under which `lifesign/checks` exports what makes it. */
  readonly exportName:
    | 'checkBrokerConnected'
    | 'checkDatabaseConnected'
    | 'checkMigrationsApplied'
    | 'checkRedisConnected';
  /** The clients it takes. */
  readonly supported: readonly string[];
  /** The check for a client; undefined if the value is not one. Migration folders are looked up from the root. */
  checkOf(client: unknown, root: string): Check | undefined;
}

/** All of them, in the order in which they are registered. */
export const builtIns: readonly BuiltIn[] = [
  {
    option: 'db',
    name: 'check_database_connected',
    exportName: 'checkDatabaseConnected',
    supported: databaseNames,
    checkOf(client) {
      const recognised = recogniseDatabase(client);
      return recognised && databaseCheck(client, recognised);
    },
  },
  {
    option: 'migrations',
    name: 'check_migrations_applied',
    exportName: 'checkMigrationsApplied',
    supported: migrationNames,
    checkOf(source, root) {
      const recognised = recogniseMigrations(source);
      return recognised && migrationsCheck(source, recognised, root);
    },
  },
  {
    option: 'redis',
    name: 'check_redis_connected',
    exportName: 'checkRedisConnected',
    supported: redisNames,
    checkOf(client) {
      const recognised = recogniseRedis(client);
      return recognised && redisCheck(client, recognised);
    },
  },
  {
    option: 'broker',
    name: 'check_broker_connected',
    exportName: 'checkBrokerConnected',
    supported: brokerNames,
    checkOf(client) {
      const recognised = recogniseBroker(client);
      return recognised && brokerCheck(recognised);
    },
  },
];

/** What a profile calls things, and says of the check. */
interface Naming {
  /** The name of the check, in place of its own. */
  readonly name?: string | undefined;
  readonly options?: CheckOptions | undefined;
  /** What the option is called. */
  readonly optionOf?: (option: keyof BuiltInOptions) => string;
}

/** Registers a built-in check for each client that is given. */
export function registerBuiltIns<Request>(
  health: HealthCore<Request>,
  given: BuiltInOptions,
  naming: Naming = {},
): void {
  for (const builtIn of builtIns) {
    const clients = given[builtIn.option];
    if (clients !== undefined) register(health, builtIn, clients, naming);
  }
}

function register<Request>(
  health: HealthCore<Request>,
  builtIn: BuiltIn,
  given: unknown,
  naming: Naming,
): void {
  const { supported } = builtIn;
  const option = naming.optionOf?.(builtIn.option) ?? builtIn.option;
  const name = naming.name ?? builtIn.name;
  const { versionPath } = health.options;
  const check = builtIn.checkOf(given, versionPath);
  if (check !== undefined) {
    health.check(name, check, naming.options);
    return;
  }
  const members = membersOf(given);
  // An empty list would look like a database that is watched.
  if (members.length === 0) throw clientUnsupported(option, given, supported);
  for (const [key, client] of members) {
    const each = builtIn.checkOf(client, versionPath);
    if (each === undefined) throw clientUnsupported(`${option}.${key}`, client, supported);
    health.check(`${name}_${key}`, each, naming.options);
  }
}

/** The clients of a list, counted from one, or of a plain object; none of anything else. */
function membersOf(given: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(given)) return given.map((client: unknown, index) => [String(index + 1), client]);
  if (typeof given !== 'object' || given === null) return [];
  const prototype: unknown = Object.getPrototypeOf(given);
  return prototype === Object.prototype || prototype === null ? Object.entries(given) : [];
}
