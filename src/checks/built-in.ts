import { clientUnsupported } from '../core/options/errors.js';
import type { HealthCore } from '../core/health.js';
import type { Check, CheckOptions } from '../core/heartbeat/check.js';
import { checkDatabaseConnected } from './databases/connected.js';
import { type DatabaseClient, databaseNames, isDatabase } from './databases/shapes.js';
import { checkMigrationsApplied } from './migrations/applied.js';
import { isMigrationSource, migrationNames, type MigrationSource } from './migrations/shapes.js';
import { checkRedisConnected } from './key-values/connected.js';
import { isRedisClient, type RedisClient, redisNames } from './key-values/shapes.js';

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
  /** What knows the migrations: registers `check_migrations_applied`; lists and names as for `db`. */
  readonly migrations?: OneOrMore<MigrationSource> | undefined;
}

/** Stands for `{}`, in which every name has a client because it has no name. The compiler says what is missing. */
interface AtLeastOneClient {
  readonly 'a client': never;
}

type NotEmpty<Given, Client> = Given extends unknown
  ? keyof Given extends never
    ? AtLeastOneClient
    : Given | OneOrMore<Client>
  : never;

/** The same options as they were given: no type of an option refuses `{}` and takes `{ main, replica }`. */
export interface NonEmptyClients<Db, Redis, Migrations> {
  readonly db?: NotEmpty<Db, DatabaseClient> | undefined;
  readonly redis?: NotEmpty<Redis, RedisClient> | undefined;
  readonly migrations?: NotEmpty<Migrations, MigrationSource> | undefined;
}

/** One built-in check: its option, its name, its clients. */
interface BuiltIn<Client> {
  readonly option: keyof BuiltInOptions;
  readonly name: string;
  readonly supported: readonly string[];
  isClient(value: unknown): value is Client;
  make(client: Client, root: string): Check;
}

const database: BuiltIn<DatabaseClient> = {
  option: 'db',
  name: 'check_database_connected',
  supported: databaseNames,
  isClient: isDatabase,
  make: checkDatabaseConnected,
};
const migrations: BuiltIn<MigrationSource> = {
  option: 'migrations',
  name: 'check_migrations_applied',
  supported: migrationNames,
  isClient: isMigrationSource,
  make: (source, root) => checkMigrationsApplied(source, { root }),
};
const redis: BuiltIn<RedisClient> = {
  option: 'redis',
  name: 'check_redis_connected',
  supported: redisNames,
  isClient: isRedisClient,
  make: checkRedisConnected,
};

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
  register(health, database, given.db, naming);
  register(health, migrations, given.migrations, naming);
  register(health, redis, given.redis, naming);
}

function register<Request, Client>(
  health: HealthCore<Request>,
  builtIn: BuiltIn<Client>,
  given: OneOrMore<Client> | undefined,
  naming: Naming,
): void {
  const { supported } = builtIn;
  if (given === undefined) return;
  const option = naming.optionOf?.(builtIn.option) ?? builtIn.option;
  const name = naming.name ?? builtIn.name;
  if (builtIn.isClient(given)) {
    health.check(name, builtIn.make(given, health.options.versionPath), naming.options);
    return;
  }
  const members = membersOf(given);
  // An empty list would look like a database that is watched.
  if (members.length === 0) throw clientUnsupported(option, given, supported);
  for (const [key, client] of members) {
    if (!builtIn.isClient(client)) throw clientUnsupported(`${option}.${key}`, client, supported);
    health.check(`${name}_${key}`, builtIn.make(client, health.options.versionPath), naming.options);
  }
}

/** The clients of a list, counted from one, or of a plain object; none of anything else. */
function membersOf(given: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(given)) return given.map((client: unknown, index) => [String(index + 1), client]);
  if (typeof given !== 'object' || given === null) return [];
  const prototype: unknown = Object.getPrototypeOf(given);
  return prototype === Object.prototype || prototype === null ? Object.entries(given) : [];
}
