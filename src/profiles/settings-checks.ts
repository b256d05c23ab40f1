import { type BuiltInOptions, registerBuiltIns } from '../checks/built-in.js';
import { checkDatabaseConnected } from '../checks/database.js';
import { checkMigrationsApplied } from '../checks/migrations.js';
import { checkRedisConnected } from '../checks/redis.js';
import { checkNotFunction, importPathInvalid, isClass, shown } from '../core/errors.js';
import type { HealthCore } from '../core/health.js';
import { type CheckMessage, Error as ErrorMessage, Info } from '../core/messages.js';
import type { Check, CheckOptions } from '../core/registry.js';
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

interface BuiltInEntry {
  readonly option: keyof BuiltInOptions;
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

/** Registers one entry of `HEALTH_CHECKS`. */
export async function registerSettingsCheck<Request>(
  health: HealthCore<Request>,
  entry: unknown,
  baseDir: string,
  host: SettingsHost,
): Promise<void> {
  const builtIn = builtIns.get(ownPaths.get(entry) ?? entry);
  if (builtIn !== undefined) return registerBuiltIn(health, builtIn, await host.clients());

  const found = named(
    typeof entry === 'string'
      ? await importPath('HEALTH_CHECKS', entry, baseDir)
      : { name: 'default', value: entry },
  );
  const adopted = await host.adopt(found);
  if (adopted !== undefined) health.check(adopted.name, adopted.check, adopted.options);
  else if (isCheck(found.value)) health.check(found.name, found.value);
  else if (typeof entry !== 'string') throw checkNotFunction(entry);
  else throw importPathInvalid('HEALTH_CHECKS', entry, `it is ${shown(found.value)} and no check`);
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
