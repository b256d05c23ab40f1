import { statSync } from 'node:fs';
import { type ClientOption, clientOptions, type Clients, type OneOrMore } from '../../checks/clients.js';
import type { HealthCore, HealthParts } from '../../core/health.js';
import type { Check, CheckOptions } from '../../core/heartbeat/check.js';
import { isPlain } from '../../core/objects.js';
import { optionUnknown, shown } from '../../core/options/errors.js';
import { features } from '../../core/options/features.js';
import { type CoreOptions, coreOptions, directoryPath, resolveOptions } from '../../core/options/options.js';
import { readOption } from '../../core/options/read-options.js';
import {
  directory,
  flag,
  flagOrFunction,
  idList,
  requireValue,
  type Rule,
  text,
} from '../../core/options/rules.js';
import { attempt } from '../../core/runtime.js';
import type { VersionCallback } from '../../core/version.js';
import { loggerOf } from '../../logging/adopt.js';
import type { BaseOptions } from '../extension.js';
import { openFeatures } from '../platform.js';
import { defaultChecks, registerSettingsCheck, type SettingsHost } from './checks.js';
import { baseDirInvalid, importPathInvalid } from './errors.js';
import { importPath } from './import-path.js';

/** A built-in check in the list, as it is exported: the framework supplies its client. */
type BuiltIn = (client: never) => Check;
type SettingsCheck<Entry> = string | Check | BuiltIn | Entry;
type NamedEntry<Entry> =
  | readonly [name: string, check: SettingsCheck<Entry>]
  | readonly [name: string, check: SettingsCheck<Entry>, options: CheckOptions];
interface NamedChecks<Entry> {
  readonly [name: string]: SettingsCheck<Entry>;
}

/** The clients of the built-in checks; `Token` is what the framework accepts instead of one. */
type SettingsClients<Token> = {
  readonly [Option in ClientOption]?: OneOrMore<Clients[Option] | Token> | undefined;
};

/** The settings that no Health of other frameworks has. `Entry` is what the framework accepts as a check beside import paths and functions. */
interface OwnSettings<Entry> {
  /** The checks: import paths, functions, `{ search: fn }`, `['search', fn]`. Default: the database's connection and its migrations, Redis if `redis` is set, and the broker if `broker` is. */
  readonly HEALTH_CHECKS?:
    | readonly (SettingsCheck<Entry> | NamedEntry<Entry> | NamedChecks<Entry>)[]
    | NamedChecks<Entry>
    | undefined;
  /** Replaces the reading of `version.json`: a function that gets `BASE_DIR`, or its import path. */
  readonly HEALTH_VERSION_CALLBACK?: string | VersionCallback | undefined;
  /** Whether an application without an HTTP server (NestJS only) serves the endpoints by itself, on `healthPort` or `PORT`. Default true, false under `NODE_ENV=test`. */
  readonly worker?: boolean | undefined;
  /** For such an application: a file that is touched while the checks pass. */
  readonly file?: string | undefined;
}

/** The health settings: the names of the contract in capitals, and every other option by its name. `FrameworkRequest` is what the framework calls a request. */
export interface Settings<Entry = never, Token = never, FrameworkRequest = unknown>
  extends
    Omit<BaseOptions<unknown, FrameworkRequest>, 'versionPath' | 'details' | 'silencedChecks'>,
    SettingsClients<Token>,
    OwnSettings<Entry> {
  /** Root of the project: `version.json` is read from here, and import paths start here. */
  readonly BASE_DIR: string | URL;
  /** Whether the heartbeat shows checks and details, or a function that decides for each request; otherwise it shows only the status. Default false. */
  readonly DEBUG?: CoreOptions['details'];
  /** Ids of messages to drop before the level is computed. */
  readonly SILENCED_SYSTEM_CHECKS?: CoreOptions['silencedChecks'];
}

export type AnySettings = Settings<unknown, unknown>;

const contract: Readonly<Record<string, string>> = {
  versionPath: 'BASE_DIR',
  details: 'DEBUG',
  silencedChecks: 'SILENCED_SYSTEM_CHECKS',
};

const ownSettings: readonly string[] = [
  ...(['HEALTH_CHECKS', 'HEALTH_VERSION_CALLBACK', 'worker', 'file'] satisfies (keyof OwnSettings<never>)[]),
  ...clientOptions,
  'logger',
];

const settingOf = (option: string): string => contract[option] ?? option;

const optionNames = Object.keys({ ...coreOptions, ...features });

/** The parts of a settings-style Health; `loadSettings` resolves the import paths in its settings. @internal */
export function settingsParts<Request, FrameworkRequest>(
  settings: AnySettings,
): HealthParts<Request, FrameworkRequest> {
  const versionPath = requireBaseDir(settings.BASE_DIR);
  const logger = loggerOf(settings.logger);
  const names = { also: ownSettings, nameOf: settingOf, drains: true };
  const options = asOptions<Request, FrameworkRequest>(settings, versionPath);
  return { options: resolveOptions(options, { versionPath, logger }, names), openFeatures };
}

/** Registers the version callback and the checks of the settings; rejects if an import path cannot be used. @internal */
export async function loadSettings<Request, FrameworkRequest>(
  health: HealthCore<Request, FrameworkRequest>,
  { HEALTH_VERSION_CALLBACK: callback, ...settings }: AnySettings,
  host: SettingsHost,
): Promise<void> {
  const baseDir = health.options.versionPath;
  const version = readOption(callback, 'versionCallback', callbackRule, undefined, 'HEALTH_VERSION_CALLBACK');
  if (typeof version === 'function') health.versionCallback(version);
  else if (version !== undefined) health.versionCallback(await importCallback(version, baseDir));

  const listed = readOption(settings.HEALTH_CHECKS, 'checks', checksRule, undefined, 'HEALTH_CHECKS');
  for (const entry of Array.isArray(listed) ? listed : [listed ?? defaultChecks(settings)].flat())
    await registerSettingsCheck(health, entry, baseDir, host);
}

/** The setting `BASE_DIR` as a path; throws if it is not an existing directory. */
function requireBaseDir(given: unknown): string {
  if (given === undefined || given === null || given === '') throw baseDirInvalid('not defined');
  const path = directory.accepts(given) ? attempt(() => directoryPath(given)) : undefined;
  if (path === undefined) throw baseDirInvalid(`${shown(given)}, which is not a path or a local file: URL`);
  if (attempt(() => statSync(path).isDirectory()) === true) return path;
  throw baseDirInvalid(`${shown(path)}, which is not an existing directory`);
}

const callbackRule: Rule<string | VersionCallback | undefined> = {
  ...text,
  expects: 'a function or its import path',
  accepts: (value): value is string | VersionCallback => typeof value === 'function' || text.accepts(value),
};

const checksRule: Rule<readonly unknown[] | object | undefined> = {
  ...idList,
  expects: 'a list of functions or import paths, or an object that maps names to them',
  accepts: (value) => Array.isArray(value) || isPlain(value),
};

async function importCallback(path: string, baseDir: string): Promise<VersionCallback> {
  const { value } = await importPath('HEALTH_VERSION_CALLBACK', path, baseDir);
  if (callbackRule.accepts(value) && typeof value === 'function') return value;
  throw importPathInvalid('HEALTH_VERSION_CALLBACK', path, `it is ${shown(value)}, not a function`);
}

/** The settings as options: a setting that does not exist stays, and is refused with the options. */
function asOptions<Request, FrameworkRequest>(
  settings: AnySettings,
  versionPath: string,
): CoreOptions<Request, FrameworkRequest> {
  const named: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) {
    if (ownSettings.includes(name)) continue;
    const setting = contract[name];
    if (setting !== undefined) throw optionUnknown(name, [setting], `(it is called ${setting})`);
    named[optionNames.find((option) => settingOf(option) === name) ?? name] = value;
  }
  // Never from the environment: a variable must not reveal what the settings hide. A configuration service has it as a text.
  const { details } = named;
  const given = typeof details === 'string' ? flag.fromText?.(details) : details;
  const fix = 'Fix it, or omit it to use the default (false).';
  const isUnset = given === '' || given === undefined;
  Object.assign(named, {
    versionPath,
    details: requireValue(isUnset ? false : given, flagOrFunction, 'DEBUG', fix),
  });
  return named;
}
