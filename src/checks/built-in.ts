import { clientFunction, clientUnsupported } from '../core/options/errors.js';
import type { Check, CheckOptions } from '../core/heartbeat/check.js';
import { brokerCheck } from './brokers/check.js';
import type { BrokerClient } from './brokers/connected.js';
import { brokerNames, recogniseBroker, recogniseClient } from './brokers/shapes.js';
import { databaseCheck } from './databases/check.js';
import type { DatabaseClient } from './databases/connected.js';
import { databaseNames, isDatabase, recogniseDatabase } from './databases/shapes.js';
import { redisCheck } from './key-values/check.js';
import type { RedisClient } from './key-values/connected.js';
import { isRedisClient, recogniseRedis, redisNames } from './key-values/shapes.js';
import type { MigrationSource } from './migrations/applied.js';
import { migrationsCheck } from './migrations/check.js';
import { isMigrationSource, migrationNames, recogniseMigrations } from './migrations/shapes.js';

/** One client, a list of them, or some with names: one check each. A function with a name may be a method: it is not called. */
export type OneOrMore<Client> = Client | readonly Client[] | { readonly [name: string]: NoFunction<Client> };
type NoFunction<Client> = Client extends () => unknown ? never : Client;

/** The clients, by their options. This is the only list of them: options, settings, `watch` and the types are derived from it. */
export interface Clients {
  /**
   * A database client or pool: registers `check_database_connected`. A list registers
   * `check_database_connected_1` and so on; `{ main, replica }` registers `check_database_connected_main` and so on.
   */
  readonly db: DatabaseClient;
  /** A Redis or memcached client: registers `check_redis_connected`; lists and names as for `db`. */
  readonly redis: RedisClient;
  /** The source of the migrations: registers `check_migrations_applied`; lists and names as for `db`. */
  readonly migrations: MigrationSource;
  /** A message broker client, or a function that returns the current one: registers `check_broker_connected`; lists and names as for `db`. */
  readonly broker: BrokerClient;
}

/** The option of a client. */
export type ClientOption = keyof Clients;

/** The clients of the built-in checks: each one given registers its check. */
export type BuiltInOptions = {
  readonly [Option in ClientOption]?: OneOrMore<Clients[Option]> | undefined;
};

/** The same with every option, so that the compiler refuses a place that leaves one out. */
export type EveryClient = { readonly [Option in ClientOption]: BuiltInOptions[Option] };

/** One built-in check of a client. */
export interface BuiltIn {
  /** The option that takes its client. */
  readonly option: ClientOption;
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
  /** Whether a value is a client, as it is: not a list, and not a function that returns one. */
  isClient(value: unknown): boolean;
}

/** One for each client: the compiler refuses a missing one. */
const byOption: { readonly [Option in ClientOption]: BuiltIn & { readonly option: Option } } = {
  db: {
    option: 'db',
    name: 'check_database_connected',
    exportName: 'checkDatabaseConnected',
    supported: databaseNames,
    isClient: isDatabase,
    checkOf(client) {
      const recognised = recogniseDatabase(client);
      return recognised && databaseCheck(client, recognised);
    },
  },
  migrations: {
    option: 'migrations',
    name: 'check_migrations_applied',
    exportName: 'checkMigrationsApplied',
    supported: migrationNames,
    isClient: isMigrationSource,
    checkOf(source, root) {
      const recognised = recogniseMigrations(source);
      return recognised && migrationsCheck(source, recognised, root);
    },
  },
  redis: {
    option: 'redis',
    name: 'check_redis_connected',
    exportName: 'checkRedisConnected',
    supported: redisNames,
    isClient: isRedisClient,
    checkOf(client) {
      const recognised = recogniseRedis(client);
      return recognised && redisCheck(client, recognised);
    },
  },
  broker: {
    option: 'broker',
    name: 'check_broker_connected',
    exportName: 'checkBrokerConnected',
    supported: brokerNames,
    isClient: (value) => recogniseClient(value) !== undefined,
    checkOf(client) {
      const recognised = recogniseBroker(client);
      return recognised && brokerCheck(recognised);
    },
  },
};

/** All of them, in the order in which they are registered. */
export const builtIns: readonly BuiltIn[] = Object.values(byOption);

export const clientOptions: readonly ClientOption[] = builtIns.map(({ option }) => option);

export const checkNameOf = (option: ClientOption): string => byOption[option].name;

/** Options without the clients, and the clients. */
export function withoutClients<Options extends BuiltInOptions>(
  options: Options,
): { readonly clients: BuiltInOptions; readonly rest: Omit<Options, ClientOption> } {
  const parts = Object.entries(options).map(([name, value]) => ({ name, part: { [name]: value } }));
  const of = (isClient: boolean) => parts.filter(({ name }) => Object.hasOwn(byOption, name) === isClient);
  return {
    clients: Object.assign({}, ...of(true).map(({ part }) => part)),
    rest: Object.assign({}, ...of(false).map(({ part }) => part)),
  };
}

/** What a profile calls things, and says of the check. */
interface Naming {
  /** The name of the check, in place of its own. */
  readonly name?: string | undefined;
  readonly options?: CheckOptions | undefined;
  /** What the option is called. */
  readonly optionOf?: (option: ClientOption) => string;
  /** Called with the name of a check that cannot be registered, and why. Throws by default. */
  readonly refuse?: (name: string, thrown: unknown) => void;
}

/** Where checks are registered: a Health. */
interface Target {
  readonly options: { readonly versionPath: string };
  check(name: string, check: Check, options?: CheckOptions): unknown;
}

/** Registers a built-in check for each client that is given. */
export function registerBuiltIns(health: Target, given: BuiltInOptions, naming: Naming = {}): void {
  for (const builtIn of builtIns) {
    const clients = given[builtIn.option];
    if (clients !== undefined) register(health, builtIn, clients, naming);
  }
}

function register(health: Target, builtIn: BuiltIn, given: unknown, naming: Naming): void {
  const { refuse = rethrow } = naming;
  const option = naming.optionOf?.(builtIn.option) ?? builtIn.option;
  const name = naming.name ?? builtIn.name;
  const add = (key: string, checkOf: () => Check) => {
    const each = `${name}${key && `_${key}`}`;
    try {
      health.check(each, checkOf(), naming.options);
    } catch (thrown) {
      refuse(each, thrown);
    }
  };
  const checkOf = (client: unknown, label: string) => {
    const check = builtIn.checkOf(client, health.options.versionPath);
    if (check === undefined) throw clientUnsupported(label, client, builtIn.supported);
    return check;
  };
  // An empty list would look like a database that is watched.
  const members = builtIn.isClient(given) ? [] : membersOf(given);
  if (members.length === 0) return add('', () => checkOf(given, option));
  for (const [key, client] of members) {
    const label = `${option}.${key}`;
    add(key, () => {
      // It may be a method of the application, which is not ours to call. A list has no methods.
      if (typeof client === 'function' && !Array.isArray(given) && !builtIn.isClient(client))
        throw clientFunction(label, option);
      return checkOf(client, label);
    });
  }
}

function rethrow(_name: string, thrown: unknown): never {
  throw thrown;
}

/** The clients of a list, counted from one, or of a plain object; none of anything else. */
export function membersOf(given: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(given)) return given.map((client: unknown, index) => [String(index + 1), client]);
  if (typeof given !== 'object' || given === null) return [];
  const prototype: unknown = Object.getPrototypeOf(given);
  return prototype === Object.prototype || prototype === null ? Object.entries(given) : [];
}
