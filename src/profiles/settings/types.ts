import type { ClientOption } from '../../checks/clients.js';
import type { Check, CheckOptions } from '../../core/heartbeat/check.js';
import type { HealthDrainOptions } from '../../core/options/drain.js';
import type { OldOptions } from '../../core/options/options.js';
import type { Duration } from '../../core/options/duration.js';
import type { MetricsOptions } from '../../core/options/metrics.js';
import type { PageOptions } from '../../core/options/page.js';
import type { ProbesOptions } from '../../core/options/probes.js';
import type { SummaryOptions } from '../../core/options/summary.js';
import type { WatchdogOptions } from '../../core/options/watchdog.js';
import type { VersionCallback } from '../../core/version/version.js';
import type { BaseOptions } from '../options.js';
import type { BuiltIn } from './checks.js';
import type { ClientSettings } from './client-settings.js';

/** `failLevel` is the setting `HEALTH_FAIL_LEVEL`. */
type SettingName<Option extends string> = `HEALTH_${Capitals<Option>}`;
type Capitals<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? Uppercase<First> : `_${First}`}${Capitals<Rest>}`
  : '';

/** The options of every Health, by the names of settings; the contract has others for two of them. */
type OptionSettings<FrameworkRequest> = {
  readonly [
    Name in Exclude<keyof BaseOptions, 'versionPath' | 'details' | keyof OldOptions> as SettingName<Name>
  ]?: BaseOptions<unknown, FrameworkRequest>[Name] | undefined;
};

/** The single options of a feature: `port` of `watchdog` is the setting `HEALTH_WATCHDOG_PORT`. */
type PartSettings<Feature extends string, Options> = {
  readonly [Part in keyof Options & string as SettingName<`${Feature}${Capitalize<Part>}`>]?: Options[Part];
};

interface FeatureSettings<FrameworkRequest = unknown>
  extends
    PartSettings<'page', PageOptions>,
    PartSettings<'summary', SummaryOptions<FrameworkRequest>>,
    PartSettings<'watchdog', WatchdogOptions>,
    PartSettings<'probes', ProbesOptions>,
    PartSettings<'metrics', MetricsOptions>,
    PartSettings<'drain', HealthDrainOptions> {}

type SettingsCheck<Entry> = string | Check | BuiltIn | Entry;
type NamedEntry<Entry> =
  | readonly [name: string, check: SettingsCheck<Entry>]
  | readonly [name: string, check: SettingsCheck<Entry>, options: CheckOptions];
interface NamedChecks<Entry> {
  readonly [name: string]: SettingsCheck<Entry>;
}

/**
 * The health settings. `Entry` is what the framework takes as a check beside import paths and functions,
 * `Token` what it takes instead of a client, `FrameworkRequest` what it calls a request.
 */
export interface Settings<Entry = never, Token = never, FrameworkRequest = unknown>
  extends OptionSettings<FrameworkRequest>, ClientSettings<Token>, FeatureSettings<FrameworkRequest> {
  /** Root of the project: `version.json` is read from here, and import paths start here. */
  readonly BASE_DIR: string | URL;
  /** Whether the heartbeat shows checks and details; otherwise only the status. Default false. */
  readonly DEBUG?: boolean | undefined;
  /** Replaces the reading of `version.json`: a function that gets `BASE_DIR`, or its import path. */
  readonly HEALTH_VERSION_CALLBACK?: string | VersionCallback | undefined;
  /** The checks: import paths, functions, `{ search: fn }`, `['search', fn]`. Default: the database's connection and its migrations, Redis if `HEALTH_REDIS` is set, and the broker if `HEALTH_BROKER` is. */
  readonly HEALTH_CHECKS?:
    | readonly (SettingsCheck<Entry> | NamedEntry<Entry> | NamedChecks<Entry>)[]
    | NamedChecks<Entry>
    | undefined;
  /** @deprecated LIFESIGN_DEP002: write `HEALTH_SUMMARY_QUERYSTRING`. */
  readonly HEALTH_SUMMARY_LOG_QUERYSTRING?: OldOptions['summaryLogQuerystring'];
  /** Another name for `HEALTH_SILENCED_CHECKS`. */
  readonly SILENCED_SYSTEM_CHECKS?: readonly string[] | undefined;
  /** Another name for `HEALTH_FAILED_STATUS_CODE`. */
  readonly HEALTH_HEARTBEAT_FAILED_STATUS_CODE?: number | undefined;
  /** A shorter name for `HEALTH_HEALTH_PORT`: a separate port for the endpoints and the page. */
  readonly HEALTH_PORT?: number | undefined;
  /** A shorter name for `HEALTH_HEALTH_PORT_ONLY`. */
  readonly HEALTH_PORT_ONLY?: boolean | undefined;
  /** A shorter name for `HEALTH_DRAIN_SHUTDOWN_TIMEOUT`. */
  readonly HEALTH_SHUTDOWN_TIMEOUT?: Duration | undefined;
  /** Whether an application without an HTTP server (NestJS only) serves the endpoints by itself, on `HEALTH_PORT` or `PORT`. Default true, false under `NODE_ENV=test`. */
  readonly HEALTH_WORKER?: boolean | undefined;
  /** For such an application: a Unix socket instead of the port. */
  readonly HEALTH_SOCKET?: string | undefined;
  /** For such an application: a file that is touched while the checks pass. */
  readonly HEALTH_FILE?: string | undefined;
  /** Time between two runs of the checks for that file. Default 10000. */
  readonly HEALTH_FILE_INTERVAL?: Duration | undefined;
}

/** Settings that are not options of every Health. */
type OtherOption = 'versionCallback' | 'checks' | 'worker' | 'socket' | 'file' | 'fileInterval';

/** Settings by the names of options: `failLevel` for `HEALTH_FAIL_LEVEL`, `page` for `HEALTH_PAGE`. */
export type CamelCase<Given> = {
  readonly [
    Name in
      | Exclude<keyof BaseOptions, 'versionPath' | 'details' | keyof OldOptions>
      | ClientOption
      | OtherOption
  ]?: SettingName<Name> extends keyof Given ? Given[SettingName<Name>] : never;
} & {
  /** The same as `DEBUG`. */
  readonly debug?: AnySettings['DEBUG'];
};

/** The same settings with `baseDir` instead of `BASE_DIR`. */
export type WithBaseDir<Given> = Omit<Given, 'BASE_DIR'> & {
  /** The same as `BASE_DIR`. */
  readonly baseDir: AnySettings['BASE_DIR'];
};

/** The settings of any framework. */
export type AnySettings = Settings<unknown, unknown>;

/** Names of the contract for options that have other names elsewhere. */
type Renamed =
  | 'HEALTH_SUMMARY_LOG_QUERYSTRING'
  | 'BASE_DIR'
  | 'DEBUG'
  | 'SILENCED_SYSTEM_CHECKS'
  | 'HEALTH_HEARTBEAT_FAILED_STATUS_CODE'
  | 'HEALTH_PORT'
  | 'HEALTH_PORT_ONLY'
  | 'HEALTH_SHUTDOWN_TIMEOUT';

/** The settings that are neither clients nor options of the core. */
export type OtherSetting =
  | 'HEALTH_LOGGER'
  | Exclude<
      keyof AnySettings,
      keyof OptionSettings<unknown> | keyof ClientSettings<unknown> | keyof FeatureSettings | Renamed
    >;
