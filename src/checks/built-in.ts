import { clientFunction, clientUnsupported } from './errors.js';
import type { Check, CheckOptions } from '../core/heartbeat/check.js';
import { brokerCheck } from './brokers/index.js';
import { brokerNames, recogniseBroker, recogniseClient } from './brokers/index.js';
import {
  type BuiltInOptions,
  type ClientCheck,
  clientChecks,
  type ClientOption,
  membersOf,
} from './clients.js';
import { databaseCheck } from './databases/index.js';
import { databaseNames, isDatabase, recogniseDatabase } from './databases/index.js';
import { redisCheck } from './key-values/index.js';
import { isRedisClient, recogniseRedis, redisNames } from './key-values/index.js';
import { migrationsCheck } from './migrations/index.js';
import { isMigrationSource, migrationNames, recogniseMigrations } from './migrations/index.js';

/** The parts that the check of a client is made from. */
interface BuiltIn {
  /** The clients it takes. */
  readonly supported: readonly string[];
  /** The check for a client; undefined if the value is not one. Migration folders are looked up from the root. */
  checkOf(client: unknown, root: string): Check | undefined;
  /** Whether a value is a client, as it is: not a list, and not a function that returns one. */
  isClient(value: unknown): boolean;
}

/** One for each client: the compiler refuses a missing one. */
export const builtIns: { readonly [Option in ClientOption]: BuiltIn } = {
  db: {
    supported: databaseNames,
    isClient: isDatabase,
    checkOf(client) {
      const recognised = recogniseDatabase(client);
      return recognised && databaseCheck(client, recognised);
    },
  },
  migrations: {
    supported: migrationNames,
    isClient: isMigrationSource,
    checkOf(source, root) {
      const recognised = recogniseMigrations(source);
      return recognised && migrationsCheck(source, recognised, root);
    },
  },
  redis: {
    supported: redisNames,
    isClient: isRedisClient,
    checkOf(client) {
      const recognised = recogniseRedis(client);
      return recognised && redisCheck(client, recognised);
    },
  },
  broker: {
    supported: brokerNames,
    isClient: (value) => recogniseClient(value) !== undefined,
    checkOf(client) {
      const recognised = recogniseBroker(client);
      return recognised && brokerCheck(recognised);
    },
  },
};

/** The names that a profile uses for the check in its messages. */
interface Naming {
  /** The name of the check, in place of its own. */
  readonly name?: string | undefined;
  readonly options?: CheckOptions | undefined;
  /** Called with the name of a check that cannot be registered, and why. Throws by default. */
  readonly refuse?: (name: string, thrown: unknown) => void;
}

/** A Health, as far as registering checks needs it. */
interface Target {
  readonly options: { readonly versionPath: string };
  check(name: string, check: Check, options?: CheckOptions): unknown;
}

/** Registers a built-in check for each client that is given. */
export function registerBuiltIns(health: Target, given: BuiltInOptions, naming: Naming = {}): void {
  for (const check of clientChecks) {
    const clients = given[check.option];
    if (clients !== undefined) register(health, check, clients, naming);
  }
}

function register(health: Target, check: ClientCheck, given: unknown, naming: Naming): void {
  const { refuse = rethrow } = naming;
  const builtIn = builtIns[check.option];
  const option = check.option;
  const name = naming.name ?? check.name;
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
