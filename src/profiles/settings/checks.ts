import { type BuiltInOptions, registerBuiltIns } from '../../checks/built-in.js';
import { checkDatabaseConnected } from '../../checks/databases/connected.js';
import { checkMigrationsApplied } from '../../checks/migrations/applied.js';
import { checkRedisConnected } from '../../checks/key-values/connected.js';
import { checkNotFunction, importPathInvalid, isClass, shown } from '../../core/options/errors.js';
import type { HealthCore } from '../../core/health.js';
import { type CheckMessage, Error as ErrorMessage, Info } from '../../core/heartbeat/messages.js';
import type { Check, CheckOptions } from '../../core/heartbeat/check.js';
import { type Imported, importPath } from './import-path.js';

/** A built-in check in the list, as it is exported: the framework supplies its client. */
export type BuiltIn = (client: never) => Check;

/** What a framework adds to the settings. */
export interface SettingsHost {
  /** The clients of the built-in checks, as far as the framework knows them. */
  clients(): BuiltInOptions | Promise<BuiltInOptions>;
  /** A check of the framework's own kind; undefined where the value is none. */
  adopt(entry: Imported): AdoptedCheck | undefined | Promise<AdoptedCheck | undefined>;
}

/** A check that was something else. */
export interface AdoptedCheck {
  readonly name: string;
  readonly check: Check;
  readonly options?: CheckOptions | undefined;
}

type ClientOption = keyof BuiltInOptions;

interface BuiltInEntry {
  readonly option: ClientOption;
  readonly name: string;
  readonly missing: () => CheckMessage;
}

const builtIns: ReadonlyMap<unknown, BuiltInEntry> = new Map<unknown, BuiltInEntry>([
  [
    checkDatabaseConnected,
    {
      option: 'db',
      name: 'check_database_connected',
      missing: () =>
        new ErrorMessage('No database was found: set HEALTH_DB, or list other checks in HEALTH_CHECKS', {
          id: 'health.E003',
        }),
    },
  ],
  [
    checkMigrationsApplied,
    {
      option: 'migrations',
      name: 'check_migrations_applied',
      missing: () =>
        new Info('Cannot check migrations: none were found, set HEALTH_MIGRATIONS', { id: 'health.I001' }),
    },
  ],
  [
    checkRedisConnected,
    {
      option: 'redis',
      name: 'check_redis_connected',
      missing: () =>
        new ErrorMessage(
          'No redis client was found: set HEALTH_REDIS, or list other checks in HEALTH_CHECKS',
          {
            id: 'health.E005',
          },
        ),
    },
  ],
]);

/** Ours, whichever copy of the package `import()` would find from the project. */
const ownPaths: ReadonlyMap<unknown, unknown> = new Map<unknown, unknown>([
  ['lifesign/checks.checkDatabaseConnected', checkDatabaseConnected],
  ['lifesign/checks.checkMigrationsApplied', checkMigrationsApplied],
  ['lifesign/checks.checkRedisConnected', checkRedisConnected],
]);

/** The setting of a client, and the entry of `HEALTH_CHECKS` that asks it. */
const clientSettings = [
  ['HEALTH_DB', 'db', 'lifesign/checks.checkDatabaseConnected'],
  ['HEALTH_MIGRATIONS', 'migrations', 'lifesign/checks.checkMigrationsApplied'],
  ['HEALTH_REDIS', 'redis', 'lifesign/checks.checkRedisConnected'],
] as const;

/** The clients of the settings, each undefined where it was not given. */
export type GivenClients = Readonly<Partial<Record<(typeof clientSettings)[number][0], unknown>>>;

/** The default of `HEALTH_CHECKS`: the database and its migrations, and each client that was given. */
export function defaultChecks(given: GivenClients): readonly string[] {
  return clientSettings
    .filter(([setting, option]) => option !== 'redis' || given[setting] !== undefined)
    .map(([, , path]) => path);
}

/** What to say at start of clients that were given and that no check asks, for `HEALTH_CHECKS` leaves theirs out. */
export function clientsLeftOut(
  given: GivenClients,
  asked: ReadonlySet<ClientOption | undefined>,
): readonly string[] {
  return clientSettings
    .filter(([setting, option]) => given[setting] !== undefined && !asked.has(option))
    .map(
      ([setting, , path]) =>
        `${setting} is set, but HEALTH_CHECKS does not list its check: this client is not checked. Add '${path}' to HEALTH_CHECKS, or leave ${setting} out.`,
    );
}

/** Registers one entry of `HEALTH_CHECKS`; says which clients it asks, where it is built in. */
export async function registerSettingsCheck<Request>(
  health: HealthCore<Request>,
  entry: unknown,
  baseDir: string,
  host: SettingsHost,
): Promise<ClientOption | undefined> {
  const found = named(
    typeof entry === 'string' && !ownPaths.has(entry)
      ? await importPath('HEALTH_CHECKS', entry, baseDir)
      : { name: 'default', value: ownPaths.get(entry) ?? entry },
  );
  const builtIn = builtIns.get(found.value);
  if (builtIn !== undefined) {
    registerBuiltIn(health, builtIn, await host.clients());
    return builtIn.option;
  }
  const adopted = await host.adopt(found);
  if (adopted !== undefined) health.check(adopted.name, adopted.check, adopted.options);
  else if (isCheck(found.value)) health.check(found.name, found.value);
  else if (typeof entry !== 'string') throw checkNotFunction(entry);
  else throw importPathInvalid('HEALTH_CHECKS', entry, `it is ${shown(found.value)} and no check`);
  return undefined;
}

function registerBuiltIn<Request>(
  health: HealthCore<Request>,
  { option, name, missing }: BuiltInEntry,
  clients: BuiltInOptions,
): void {
  const client = clients[option];
  if (client === undefined) health.check(name, missing);
  else registerBuiltIns(health, { [option]: client });
}

/** What is no named export goes by its own name. */
function named({ name, value }: Imported): Imported {
  if (name !== 'default') return { name, value };
  return { name: typeof value === 'function' ? value.name : '', value };
}

function isCheck(value: unknown): value is Check {
  return typeof value === 'function' && !isClass(value);
}
