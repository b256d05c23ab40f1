import type { BuiltInOptions } from '../../checks/built-in.js';
import { checkDatabaseConnected } from '../../checks/databases/connected.js';
import * as ownChecks from '../../checks/index.js';
import { checkRedisConnected } from '../../checks/key-values/connected.js';
import { checkMigrationsApplied } from '../../checks/migrations/applied.js';
import { isClass } from '../../core/options/errors.js';
import { type CheckMessage, Error as ErrorMessage, Info } from '../../core/heartbeat/messages.js';
import { messageIds } from '../../core/heartbeat/message-ids.js';

/** The option of a client. */
export type ClientOption = keyof BuiltInOptions;

/** A built-in check that asks a client: its setting, its entry of `HEALTH_CHECKS`, what it says where there is no client. */
export interface BuiltInEntry {
  readonly option: ClientOption;
  readonly setting: 'HEALTH_DB' | 'HEALTH_MIGRATIONS' | 'HEALTH_REDIS';
  readonly factory: unknown;
  readonly path: string;
  readonly name: string;
  readonly missing: () => CheckMessage;
}

const builtIns: readonly BuiltInEntry[] = [
  {
    option: 'db',
    setting: 'HEALTH_DB',
    factory: checkDatabaseConnected,
    path: 'lifesign/checks.checkDatabaseConnected',
    name: 'check_database_connected',
    missing: () =>
      new ErrorMessage('No database was found: set HEALTH_DB, or list other checks in HEALTH_CHECKS', {
        id: messageIds.databaseMisconfigured,
      }),
  },
  {
    option: 'migrations',
    setting: 'HEALTH_MIGRATIONS',
    factory: checkMigrationsApplied,
    path: 'lifesign/checks.checkMigrationsApplied',
    name: 'check_migrations_applied',
    missing: () =>
      new Info('Cannot check migrations: none were found, set HEALTH_MIGRATIONS', {
        id: messageIds.migrationsUnchecked,
      }),
  },
  {
    option: 'redis',
    setting: 'HEALTH_REDIS',
    factory: checkRedisConnected,
    path: 'lifesign/checks.checkRedisConnected',
    name: 'check_redis_connected',
    missing: () =>
      new ErrorMessage('No redis client was found: set HEALTH_REDIS, or list other checks in HEALTH_CHECKS', {
        id: messageIds.redisMissing,
      }),
  },
];

/** The built-in check that a value of the list is, as it is exported. */
export const builtInOf = (value: unknown) => builtIns.find(({ factory }) => factory === value);

/** What the settings call an option of a client. */
export const clientSetting = (option: ClientOption) =>
  builtIns.find((entry) => entry.option === option)?.setting ?? option;

const ours = 'lifesign/checks.';

/** The export of ours that a path names, whichever copy of the package `import()` would find from the project. */
export function ownExport(path: string): unknown {
  return path.startsWith(ours) ? Reflect.get(ownChecks, path.slice(ours.length)) : undefined;
}

/** Factories that need nothing: they are called where they are listed as they are. */
const callable: ReadonlySet<unknown> = new Set([ownChecks.memory, ownChecks.eventLoop]);

/** Whether a value is a factory that can be called without arguments. */
export function isBareFactory(value: unknown): value is () => unknown {
  return callable.has(value);
}

/** Whether a value is a factory of ours that was to be called. */
export function isFactory(value: unknown): boolean {
  return !isClass(value) && Object.values<unknown>(ownChecks).includes(value);
}

/** The clients of the settings, each undefined where it was not given. */
export type GivenClients = Readonly<Partial<Record<BuiltInEntry['setting'], unknown>>>;

/** The default of `HEALTH_CHECKS`: the database and its migrations, and each client that was given. */
export function defaultChecks(given: GivenClients): readonly string[] {
  return builtIns
    .filter(({ setting, option }) => option !== 'redis' || given[setting] !== undefined)
    .map(({ path }) => path);
}

/** What to say at start of clients that were given and that no check asks, for `HEALTH_CHECKS` leaves theirs out. */
export function clientsLeftOut(given: GivenClients, asked: ReadonlySet<ClientOption>): readonly string[] {
  return builtIns
    .filter(({ setting, option }) => given[setting] !== undefined && !asked.has(option))
    .map(
      ({ setting, path }) =>
        `${setting} is set, but HEALTH_CHECKS does not list its check: this client is not checked. Add '${path}' to HEALTH_CHECKS, or leave ${setting} out.`,
    );
}
