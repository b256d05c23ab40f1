import { clientFunction } from './errors.js';
import type { Check, CheckOptions } from '../core/heartbeat/check.js';
import { brokerCheck, brokers } from './brokers/index.js';
import {
  type BuiltInOptions,
  type ClientCheck,
  clientChecks,
  type ClientOption,
  membersOf,
} from './clients.js';
import { databaseCheck, databases } from './databases/index.js';
import { redisCheck, stores } from './key-values/index.js';
import { migrationsCheck, migrationSources } from './migrations/index.js';

/** How the check of a client is made, for an option; migration folders are looked up from the root. */
interface BuiltIn {
  checkOf(client: unknown, option: string, root: string): Check;
  /** Whether a value is a client, as it is: not a list, and not a function that returns one. */
  isClient(value: unknown): boolean;
}

/** One for each client: the compiler refuses a missing one. */
const builtIns: { readonly [Option in ClientOption]: BuiltIn } = {
  db: { isClient: databases.is, checkOf: databaseCheck },
  migrations: {
    isClient: migrationSources.is,
    checkOf: (source, option, root) => migrationsCheck(source, root, option),
  },
  redis: { isClient: stores.is, checkOf: redisCheck },
  broker: { isClient: brokers.is, checkOf: brokerCheck },
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
  const checkOf = (client: unknown, label: string) =>
    builtIn.checkOf(client, label, health.options.versionPath);
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
