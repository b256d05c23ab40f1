import { type ClientOption, clientOptions, type Clients, type OneOrMore } from '../../checks/clients.js';
import type { Check, CheckOptions } from '../../core/heartbeat/check.js';
import { optionUnknown } from '../../core/options/errors.js';
import { features } from '../../core/options/features.js';
import { type CoreOptions, coreOptions } from '../../core/options/options.js';
import { variableOf } from '../../core/options/read-option.js';
import type { VersionCallback } from '../../core/version/version.js';
import type { BaseOptions } from '../options.js';

/** A built-in check in the list, as it is exported: the framework supplies its client. */
type BuiltIn = (client: never) => Check;
type SettingsCheck<Entry> = string | Check | BuiltIn | Entry;
type NamedEntry<Entry> =
  | readonly [name: string, check: SettingsCheck<Entry>]
  | readonly [name: string, check: SettingsCheck<Entry>, options: CheckOptions];
interface NamedChecks<Entry> {
  readonly [name: string]: SettingsCheck<Entry>;
}

/** The clients of the built-in checks; `Token` is what the framework takes instead of one. */
export type SettingsClients<Token> = {
  readonly [Option in ClientOption]?: OneOrMore<Clients[Option] | Token> | undefined;
};

/** The settings that no Health of other frameworks has. `Entry` is what the framework takes as a check beside import paths and functions. */
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
  /** For such an application: a Unix socket instead of the port. */
  readonly socket?: string | undefined;
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

/** The settings of any framework. */
export type AnySettings = Settings<unknown, unknown>;

/** The names that the contract has for three options. */
const contract: Readonly<Record<string, string>> = {
  versionPath: 'BASE_DIR',
  details: 'DEBUG',
  silencedChecks: 'SILENCED_SYSTEM_CHECKS',
};

/** The settings that no Health of other frameworks has. One that only the type of the settings has does not compile. */
const own: Readonly<Record<keyof OwnSettings<never>, true>> = {
  HEALTH_CHECKS: true,
  HEALTH_VERSION_CALLBACK: true,
  worker: true,
  socket: true,
  file: true,
};

export const ownSettings = [...Object.keys(own), ...clientOptions, 'logger'];

/** The name of an option in settings. */
export const settingOf = (option: string): string => contract[option] ?? option;

const options = Object.keys({ ...coreOptions, ...features });

/** The options of every Health that the settings have, by the names of options. Throws if a setting does not exist. */
export function optionsIn(settings: object): Record<string, unknown> {
  const settingNames = [...ownSettings, ...options.map(settingOf)];
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) {
    if (!settingNames.includes(name)) {
      const option = options.find((each) => each === name || variableOf(each) === name);
      throw optionUnknown(name, settingNames, option && `(it is called ${settingOf(option)})`);
    }
    if (!ownSettings.includes(name)) given[options.find((each) => settingOf(each) === name) ?? name] = value;
  }
  return given;
}
