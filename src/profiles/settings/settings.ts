import { fileURLToPath } from 'node:url';
import type { BuiltInOptions } from '../../checks/built-in.js';
import { baseDirMissing, importPathInvalid, optionUnknown, shown } from '../../core/options/errors.js';
import { HealthCore } from '../../core/health.js';
import { levels } from '../../core/heartbeat/messages.js';
import { idList, type Rule, text } from '../../core/options/rules.js';
import { type HealthOptions, readOption, resolveOptions, variableOf } from '../../core/options/options.js';
import type { Check } from '../../core/heartbeat/check.js';
import type { VersionCallback } from '../../core/version/version.js';
import { openFeatures } from '../features.js';
import { stdoutLogger } from '../../logging/stdout/stdout.js';
import { importPath } from './import-path.js';
import {
  type BuiltIn,
  clientsLeftOut,
  defaultChecks,
  registerSettingsCheck,
  type SettingsHost,
} from './checks.js';

/** `failLevel` is the setting `HEALTH_FAIL_LEVEL`. */
type SettingName<Option extends string> = `HEALTH_${Capitals<Option>}`;
type Capitals<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? Uppercase<First> : `_${First}`}${Capitals<Rest>}`
  : '';

/** Options that the settings know by another name. */
type Renamed = 'versionPath' | 'details' | 'silencedChecks' | 'failedStatusCode';

/** The options of every Health, by the names of settings. */
type OptionSettings<Own> = {
  readonly [Name in Exclude<keyof HealthOptions, Renamed> as SettingName<Name>]?:
    | HealthOptions<unknown, Own>[Name]
    | undefined;
};

/**
 * The settings of profile A. `Entry` is what the framework takes as a check beside import paths and functions,
 * `Token` what it takes instead of a client, `Own` what it calls a request.
 */
export interface Settings<Entry = never, Token = never, Own = unknown> extends OptionSettings<Own> {
  /** Root of the project: `version.json` is read from here, and import paths start here. */
  readonly BASE_DIR: string | URL;
  /** Whether the heartbeat shows checks and details; otherwise the status alone. Default false. */
  readonly DEBUG?: boolean | undefined;
  /** Replaces the reading of `version.json`: a function that gets `BASE_DIR`, or its import path. */
  readonly HEALTH_VERSION_CALLBACK?: string | VersionCallback | undefined;
  /** The checks, as import paths or functions. Default: the database's connection and its migrations, and Redis where `HEALTH_REDIS` is set. */
  readonly HEALTH_CHECKS?: readonly (string | Check | BuiltIn | Entry)[] | undefined;
  /** Ids of messages to drop before the level is taken. */
  readonly SILENCED_SYSTEM_CHECKS?: readonly string[] | undefined;
  /** Status code of a failed heartbeat, 400 to 599. Default 500. */
  readonly HEALTH_HEARTBEAT_FAILED_STATUS_CODE?: number | undefined;
  /** The database that the built-in check asks; by default the one the framework knows. */
  readonly HEALTH_DB?: BuiltInOptions['db'] | Token;
  /** The migrations that the built-in check compares; by default those of the database. */
  readonly HEALTH_MIGRATIONS?: BuiltInOptions['migrations'] | Token;
  /** The Redis client that the built-in check asks; by default the one the framework knows, where `HEALTH_CHECKS` lists that check. */
  readonly HEALTH_REDIS?: BuiltInOptions['redis'] | Token;
  /** Milliseconds to go on answering after a signal, until no load balancer sends anything more. Default 5000; 0 while developing, by `NODE_ENV`. */
  readonly HEALTH_DRAIN_DELAY?: number | undefined;
  /** Milliseconds that requests may take to end after that; then they are cut. Default 10000. */
  readonly HEALTH_DRAIN_TIMEOUT?: number | undefined;
  /** Whether `/__lbheartbeat__` answers 503 from the signal on. Default true. */
  readonly HEALTH_FAIL_LBHEARTBEAT?: boolean | undefined;
}

/** The settings of any framework. */
export type AnySettings = Settings<unknown, unknown>;

const handledHere = [
  'HEALTH_VERSION_CALLBACK',
  'HEALTH_CHECKS',
  'HEALTH_DB',
  'HEALTH_MIGRATIONS',
  'HEALTH_REDIS',
  'HEALTH_DRAIN_DELAY',
  'HEALTH_DRAIN_TIMEOUT',
  'HEALTH_FAIL_LBHEARTBEAT',
];

const renamed: ReadonlyMap<string, string> = new Map([
  ['versionPath', 'BASE_DIR'],
  ['details', 'DEBUG'],
  ['silencedChecks', 'SILENCED_SYSTEM_CHECKS'],
  ['failedStatusCode', 'HEALTH_HEARTBEAT_FAILED_STATUS_CODE'],
]);

/** Profile A: made of settings. The constructor checks them, `load` fetches what their import paths name. */
export class SettingsHealth<Request = unknown, Own = Request> extends HealthCore<Request, Own> {
  readonly #settings: AnySettings;

  constructor(settings: AnySettings) {
    const options = optionsOf<Request, Own>(settings);
    const versionPath = options.versionPath ?? '';
    super(
      resolveOptions(
        options,
        { versionPath, logger: (loggerName) => stdoutLogger({ loggerName }) },
        handledHere,
        settingOf,
      ),
      openFeatures,
    );
    this.#settings = settings;
  }

  /** Registers the version callback and the checks; rejects where an import path leads to nothing usable. */
  async load(host: SettingsHost): Promise<void> {
    const { HEALTH_VERSION_CALLBACK: callback, HEALTH_CHECKS: checks } = this.#settings;
    const baseDir = this.options.versionPath;
    const version = readOption(
      callback,
      'versionCallback',
      callbackRule,
      undefined,
      'HEALTH_VERSION_CALLBACK',
    );
    if (typeof version === 'function') this.versionCallback(version);
    else if (version !== undefined) this.versionCallback(await importCallback(version, baseDir));

    const listed = readOption(checks, 'checks', checksRule, undefined, 'HEALTH_CHECKS');
    const asked = new Set<keyof BuiltInOptions | undefined>();
    for (const entry of listed ?? defaultChecks(this.#settings)) {
      asked.add(await registerSettingsCheck(this, entry, baseDir, host));
    }
    for (const msg of clientsLeftOut(this.#settings, asked)) {
      this.log({ logger: 'health', level: levels.warning, time: Date.now(), fields: {}, msg });
    }
  }
}

const callbackRule: Rule<string | VersionCallback | undefined> = {
  ...text,
  expects: 'a function or its import path',
  accepts: (value): value is string | VersionCallback => typeof value === 'function' || text.accepts(value),
};

const checksRule: Rule<readonly unknown[] | undefined> = {
  ...idList,
  expects: 'a list of functions or import paths',
  accepts: (value) => Array.isArray(value),
};

async function importCallback(path: string, baseDir: string): Promise<VersionCallback> {
  const { value } = await importPath('HEALTH_VERSION_CALLBACK', path, baseDir);
  if (callbackRule.accepts(value) && typeof value === 'function') return value;
  throw importPathInvalid('HEALTH_VERSION_CALLBACK', path, `it is ${shown(value)} and not a function`);
}

/** The settings by the names of options. */
function optionsOf<Request, Own>(settings: AnySettings): HealthOptions<Request, Own> {
  const { BASE_DIR: baseDir, DEBUG: debug = false } = settings;
  if (baseDir === undefined || baseDir === null || baseDir === '') throw baseDirMissing();
  const named: Record<string, unknown> = { details: debug };
  for (const [setting, value] of Object.entries(settings)) {
    if (value !== undefined && !handledHere.includes(setting)) named[optionOf(setting)] = value;
  }
  named['versionPath'] = baseDir instanceof URL ? fileURLToPath(baseDir) : baseDir;
  return areOptions<Request, Own>(named) ? named : {};
}

/** They have to be looked at one by one: resolveOptions does, and refuses names and values it does not know. */
function areOptions<Request, Own>(named: object): named is HealthOptions<Request, Own> {
  return 'versionPath' in named;
}

/** `timeout` is called `HEALTH_TIMEOUT`. */
function settingOf(option: string): string {
  return renamed.get(option) ?? variableOf(option);
}

function optionOf(setting: string): string {
  for (const [option, name] of renamed) if (name === setting) return option;
  const option = setting
    .replace(/^HEALTH_/, '')
    .toLowerCase()
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (settingOf(option) === setting) return option;
  throw optionUnknown(setting, [...renamed.values(), ...handledHere, 'HEALTH_… for every other option']);
}
