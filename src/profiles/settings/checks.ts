import { registerBuiltIns } from '../../checks/built-in.js';
import { type BuiltInOptions, clientChecks, type ClientOption } from '../../checks/clients.js';
import * as ownChecks from '../../checks/index.js';
import type { HealthCore } from '../../core/health.js';
import type { Check, CheckOptions } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, Error as ErrorMessage, Info } from '../../core/heartbeat/messages.js';
import { isClass, isPlain, nameOf } from '../../core/objects.js';
import { shown } from '../../core/options/errors.js';
import { entryInvalid, importPathInvalid } from './errors.js';
import { type Imported, importPath } from './import-path.js';

export interface SettingsHost {
  clients(): BuiltInOptions | Promise<BuiltInOptions>;
  /** A check of the framework's own kind; undefined if the value is not one. */
  adopt(entry: Imported): AdoptedCheck | undefined | Promise<AdoptedCheck | undefined>;
}

export interface AdoptedCheck {
  readonly name: string;
  readonly check: Check;
  readonly options?: CheckOptions | undefined;
}

interface Entry {
  readonly value: unknown;
  readonly name?: string | undefined;
  readonly options?: CheckOptions | undefined;
}

/** Registers an entry of `HEALTH_CHECKS`, which may be several checks. */
export async function registerSettingsCheck<Request>(
  health: HealthCore<Request>,
  listed: unknown,
  baseDir: string,
  host: SettingsHost,
): Promise<void> {
  const { value: given, name, options } = entryOf(listed);
  const imported = await lookUp(given, baseDir);
  const value = isBareFactory(imported.value) ? imported.value() : imported.value;
  const builtIn = clientChecks.find(({ exportName }) => Reflect.get(ownChecks, exportName) === value);
  if (builtIn !== undefined) {
    const { option } = builtIn;
    const { [option]: client } = await host.clients();
    if (client === undefined) health.check(name ?? builtIn.name, missing[option], options);
    else registerBuiltIns(health, { [option]: client }, { name, options });
    return;
  }
  if (isFactory(value))
    throw entryInvalid(value, 'which is a factory: call it, as in { search: checks.http(url) }');
  // An export without a name goes by its own name.
  const usual = name ?? (imported.name === 'default' ? nameOf(value) : imported.name);
  const adopted = await host.adopt({ name: usual, value });
  if (adopted !== undefined) {
    health.check(name ?? adopted.name, adopted.check, { ...adopted.options, ...options });
  } else if (isCheck(value)) health.check(usual, value, options);
  else if (name === undefined && isPlain(value) && Object.keys(value).length > 0) {
    for (const [key, each] of Object.entries(value))
      await registerSettingsCheck(health, [key, each], baseDir, host);
  } else if (typeof given === 'string') {
    throw importPathInvalid('HEALTH_CHECKS', given, `it is ${shown(value)}, not a check`);
  } else {
    throw entryInvalid(value, isClass(value) ? 'which has no check method' : 'which is not a check');
  }
}

/** `['search', fn]` and `['search', fn, { timeout: 500 }]` are the arguments of `health.check`. */
function entryOf(listed: unknown): Entry {
  if (!Array.isArray(listed)) return { value: listed };
  const [name, value, options, ...more]: readonly unknown[] = listed;
  if (typeof name !== 'string' || more.length > 0) throw entryInvalid(listed, "which is not ['search', fn]");
  if (options !== undefined && !isPlain(options)) {
    throw entryInvalid(listed, "whose options are not an object, as in ['search', fn, { timeout: 500 }]");
  }
  return { name, value, options };
}

async function lookUp(value: unknown, baseDir: string): Promise<Imported> {
  if (typeof value !== 'string') return { name: 'default', value };
  const own = ownExport(value);
  return own === undefined ? importPath('HEALTH_CHECKS', value, baseDir) : { name: 'default', value: own };
}

function isCheck(value: unknown): value is Check {
  return typeof value === 'function' && !isClass(value);
}

const missing: Readonly<Record<ClientOption, () => CheckMessage>> = {
  db: () => notFound('database', 'db', messageIds.databaseMisconfigured),
  migrations: () =>
    new Info(
      'Cannot check migrations: no library was found: set migrations, or list other checks in HEALTH_CHECKS',
      {
        id: messageIds.migrationsUnchecked,
      },
    ),
  redis: () => notFound('redis client', 'redis', messageIds.redisMissing),
  broker: () => notFound('broker', 'broker', messageIds.brokerMissing),
};

function notFound(what: string, option: ClientOption, id: string): ErrorMessage {
  const text = `No ${what} was found: set ${option}, or list other checks in HEALTH_CHECKS`;
  return new ErrorMessage(text, { id });
}

/** Those that most applications do not have: their checks are listed if their clients are given. */
const optional: ReadonlySet<ClientOption> = new Set<ClientOption>(['redis', 'broker']);

const checksPrefix = 'lifesign/checks.';

/** The export of ours that a path names, whichever copy of the package `import()` would find from the project. */
function ownExport(path: string): unknown {
  return path.startsWith(checksPrefix) ? Reflect.get(ownChecks, path.slice(checksPrefix.length)) : undefined;
}

/** Factories without required options: they are called if they are listed as they are. */
function isBareFactory(value: unknown): value is () => unknown {
  return value === ownChecks.memory || value === ownChecks.eventLoop;
}

function isFactory(value: unknown): boolean {
  return !isClass(value) && Object.values<unknown>(ownChecks).includes(value);
}

/** The default of `HEALTH_CHECKS`: the database and its migrations, and each client that was given. */
export function defaultChecks(given: { readonly [Option in ClientOption]?: unknown }): readonly string[] {
  return clientChecks
    .filter(({ option }) => !optional.has(option) || given[option] !== undefined)
    .map(({ exportName }) => `${checksPrefix}${exportName}`);
}
