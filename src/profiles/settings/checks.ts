import type { BuiltInOptions, ClientCheck, ClientOption } from '../../checks/clients.js';
import { loadChecks } from '../../checks/load.js';
import type { HealthCore } from '../../core/health.js';
import type { Check, CheckOptions } from '../../core/heartbeat/check.js';
import { checkNameMissing, shown } from '../../core/options/errors.js';
import { entryInvalid, importPathInvalid } from './errors.js';
import { builtInOf, isBareFactory, isFactory, missing, ownExport } from './built-ins.js';
import { type Imported, importPath } from './import-path.js';
import { isClass, isRecord, nameOf as nameOfFunction } from '../../core/objects.js';

/** The settings that a framework adds. */
export interface SettingsHost {
  /** The clients of the built-in checks, as far as the framework knows them. */
  clients(): BuiltInOptions | Promise<BuiltInOptions>;
  /** A check of the framework's own kind; undefined if the value is not one. */
  adopt(entry: Imported): AdoptedCheck | undefined | Promise<AdoptedCheck | undefined>;
}

/** A check that was something else. */
export interface AdoptedCheck {
  readonly name: string;
  readonly check: Check;
  readonly options?: CheckOptions | undefined;
}

/** One entry of `HEALTH_CHECKS`, with its name and options. */
interface Entry {
  readonly value: unknown;
  readonly name?: string | undefined;
  readonly options?: CheckOptions | undefined;
}

/** Registers an entry of `HEALTH_CHECKS`, which may be several checks; says which clients the built-in ones of them ask. */
export async function registerSettingsCheck<Request>(
  health: HealthCore<Request>,
  listed: unknown,
  baseDir: string,
  host: SettingsHost,
): Promise<readonly ClientOption[]> {
  return register(health, pairOf(listed), baseDir, host);
}

async function register<Request>(
  health: HealthCore<Request>,
  entry: Entry,
  baseDir: string,
  host: SettingsHost,
): Promise<readonly ClientOption[]> {
  const { value: given, name, options } = entry;
  const found = await lookUp(given, baseDir);
  const value = isBareFactory(found.value) ? found.value() : found.value;
  const builtIn = builtInOf(value);
  if (builtIn !== undefined) {
    registerBuiltIn(health, builtIn, await host.clients(), entry);
    return [builtIn.option];
  }
  if (isFactory(value))
    throw entryInvalid(value, 'which is a factory: call it, as in { search: checks.http(url) }');
  const adopted = await host.adopt({ name: name ?? nameOf({ ...found, value }), value });
  if (adopted !== undefined) {
    add(health, name ?? adopted.name, adopted.check, { ...adopted.options, ...options });
  } else if (isCheck(value)) add(health, name ?? nameOf({ ...found, value }), value, options);
  else if (name === undefined && isPlain(value) && Object.keys(value).length > 0) {
    const asked: ClientOption[] = [];
    for (const [key, each] of Object.entries(value)) {
      asked.push(...(await register(health, { name: key, value: each }, baseDir, host)));
    }
    return asked;
  } else if (typeof given === 'string') {
    throw importPathInvalid('HEALTH_CHECKS', given, `it is ${shown(value)}, not a check`);
  } else {
    throw entryInvalid(value, isClass(value) ? 'which has no check method' : 'which is not a check');
  }
  return [];
}

/** `['search', fn]` and `['search', fn, { timeout: 500 }]` are the arguments of `health.check`. */
function pairOf(listed: unknown): Entry {
  if (!Array.isArray(listed)) return { value: listed };
  const [name, value, options, ...more]: readonly unknown[] = listed;
  if (typeof name !== 'string' || more.length > 0) throw entryInvalid(listed, "which is not ['search', fn]");
  if (options !== undefined && !isPlain(options)) {
    throw entryInvalid(listed, "whose options are not an object, as in ['search', fn, { timeout: 500 }]");
  }
  return { name, value, options };
}

/** Resolves a path of the list; takes anything else as it is. */
async function lookUp(value: unknown, baseDir: string): Promise<Imported> {
  if (typeof value !== 'string') return { name: 'default', value };
  const own = ownExport(value);
  return own === undefined ? importPath('HEALTH_CHECKS', value, baseDir) : { name: 'default', value: own };
}

/** An export without a name goes by its own name. */
function nameOf({ name, value }: Imported): string {
  if (name !== 'default') return name;
  return nameOfFunction(value);
}

function add<Request>(health: HealthCore<Request>, name: string, check: Check, options?: CheckOptions): void {
  if (name === '') throw checkNameMissing();
  health.check(name, check, options);
}

function registerBuiltIn<Request>(
  health: HealthCore<Request>,
  { option, name: usual }: ClientCheck,
  clients: BuiltInOptions,
  { name, options }: Entry,
): void {
  const client = clients[option];
  if (client === undefined) health.check(name ?? usual, missing[option], options);
  else {
    loadChecks().registerBuiltIns(health, { [option]: client }, { name, options });
  }
}

function isCheck(value: unknown): value is Check {
  return typeof value === 'function' && !isClass(value);
}

/** Whether a value is an object as it is written in settings, and not one with a class. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Not compared with Object.prototype: a value may come from another realm.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
