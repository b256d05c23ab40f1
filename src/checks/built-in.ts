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
import { migrationsCheck } from './migrations/index.js';
import { migrationSources } from './migrations/libraries.js';
import { clientFunction } from './recognise.js';

/** How the check of a client is made, for an option; migration folders are looked up from the root. */
interface BuiltIn {
  readonly checkOf: (client: unknown, option: string, root: string) => Check;
  /** Whether a value is a client, as it is: not a list, and not a function that returns one. */
  readonly isClient: (value: unknown) => boolean;
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

interface Naming {
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

export function registerBuiltIns(health: Target, given: BuiltInOptions, naming: Naming = {}): void {
  for (const check of clientChecks) {
    const clients = given[check.option];
    if (clients !== undefined) register(health, check, clients, naming);
  }
}

function register(health: Target, check: ClientCheck, given: unknown, naming: Naming): void {
  const { option } = check;
  const { isClient, checkOf } = builtIns[option];
  const add = (suffix: string, label: string, client: unknown) => {
    const name = `${naming.name ?? check.name}${suffix}`;
    try {
      // It may be a method of the application, which is not ours to call. A list has no methods.
      if (suffix !== '' && typeof client === 'function' && !Array.isArray(given) && !isClient(client))
        throw clientFunction(label, option);
      health.check(name, checkOf(client, label, health.options.versionPath), naming.options);
    } catch (thrown) {
      if (naming.refuse === undefined) throw thrown;
      naming.refuse(name, thrown);
    }
  };
  const members = isClient(given) ? [] : membersOf(given);
  // An empty list would look like a database that is watched.
  if (members.length === 0) add('', option, given);
  for (const [key, client] of members) add(`_${key}`, `${option}.${key}`, client);
}
