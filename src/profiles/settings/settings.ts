import type { ClientOption } from '../../checks/built-in.js';
import { importPathInvalid, shown } from '../../core/options/errors.js';
import { engineOf, HealthCore } from '../../core/health.js';
import { levels } from '../../core/heartbeat/messages.js';
import { idList, type Rule, text, flag } from '../../core/options/rules.js';
import type { MetricsRegistry } from '../../core/options/metrics.js';
import { type CoreOptions, readOption, resolveOptions } from '../../core/options/options.js';
import type { ProbesOptions } from '../../core/options/probes.js';
import type { Check, CheckOptions } from '../../core/heartbeat/check.js';
import type { VersionCallback } from '../../core/version/version.js';
import { startWatchdog } from '../../watchdog/feature.js';
import { openFeatures } from '../features.js';
import { loggerOf } from '../../logging/adopt.js';
import type { HealthOptions } from '../options.js';
import { importPath } from './import-path.js';
import { featuresOf } from './parts.js';
import { requireBaseDir } from './base-dir.js';
import { clientsLeftOut, defaultChecks } from './built-ins.js';
import { type BuiltIn, isPlain, registerSettingsCheck, type SettingsHost } from './checks.js';
import type { ClientSettings } from './client-settings.js';
import { byOption, ownSettings } from './names.js';

/** `failLevel` is the setting `HEALTH_FAIL_LEVEL`. */
type SettingName<Option extends string> = `HEALTH_${Capitals<Option>}`;
type Capitals<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? Uppercase<First> : `_${First}`}${Capitals<Rest>}`
  : '';

/** The options of every Health, by the names of settings; the contract has others for two of them. */
type OptionSettings<Own> = {
  readonly [Name in Exclude<keyof HealthOptions, 'versionPath' | 'details'> as SettingName<Name>]?:
    | HealthOptions<unknown, Own>[Name]
    | undefined;
};

type SettingsCheck<Entry> = string | Check | BuiltIn | Entry;
type NamedEntry<Entry> =
  | readonly [name: string, check: SettingsCheck<Entry>]
  | readonly [name: string, check: SettingsCheck<Entry>, options: CheckOptions];
interface NamedChecks<Entry> {
  readonly [name: string]: SettingsCheck<Entry>;
}

/**
 * The health settings. `Entry` is what the framework takes as a check beside import paths and functions,
 * `Token` what it takes instead of a client, `Own` what it calls a request.
 */
export interface Settings<Entry = never, Token = never, Own = unknown>
  extends OptionSettings<Own>, ClientSettings<Token> {
  /** Root of the project: `version.json` is read from here, and import paths start here. */
  readonly BASE_DIR: string | URL;
  /** Whether the heartbeat shows checks and details; otherwise only the status. Default false. */
  readonly DEBUG?: boolean | undefined;
  /** Replaces the reading of `version.json`: a function that gets `BASE_DIR`, or its import path. */
  readonly HEALTH_VERSION_CALLBACK?: string | VersionCallback | undefined;
  /** The checks: import paths, functions, `{ search: fn }`, `['search', fn]`. Default: the database's connection and its migrations, Redis where `HEALTH_REDIS` is set, and the broker where `HEALTH_BROKER` is. */
  readonly HEALTH_CHECKS?:
    | readonly (SettingsCheck<Entry> | NamedEntry<Entry> | NamedChecks<Entry>)[]
    | NamedChecks<Entry>
    | undefined;
  /** Another name for `HEALTH_SILENCED_CHECKS`. */
  readonly SILENCED_SYSTEM_CHECKS?: readonly string[] | undefined;
  /** Another name for `HEALTH_FAILED_STATUS_CODE`. */
  readonly HEALTH_HEARTBEAT_FAILED_STATUS_CODE?: number | undefined;
  /** A shorter name for `HEALTH_HEALTH_PORT`: a separate port for the endpoints and the page. */
  readonly HEALTH_PORT?: number | undefined;
  /** A shorter name for `HEALTH_HEALTH_PORT_ONLY`. */
  readonly HEALTH_PORT_ONLY?: boolean | undefined;
  /** The single options of `HEALTH_WATCHDOG`: its port, and when a blocked event loop counts as busy and stuck. */
  readonly HEALTH_WATCHDOG_PORT?: number | undefined;
  readonly HEALTH_WATCHDOG_BUSY_AFTER?: number | undefined;
  readonly HEALTH_WATCHDOG_STUCK_AFTER?: number | undefined;
  readonly HEALTH_WATCHDOG_TERMINATION_LOG?: string | false | undefined;
  /** The single options of `HEALTH_PROBES`. */
  readonly HEALTH_PROBES_LIVE?: ProbesOptions['live'];
  readonly HEALTH_PROBES_READY?: ProbesOptions['ready'];
  readonly HEALTH_PROBES_STARTED?: ProbesOptions['started'];
  readonly HEALTH_PROBES_START_WHEN?: ProbesOptions['startWhen'];
  readonly HEALTH_PROBES_FAIL_AFTER?: number | undefined;
  readonly HEALTH_PROBES_PASS_AFTER?: number | undefined;
  readonly HEALTH_PROBES_RESTART_AFTER?: number | undefined;
  readonly HEALTH_PROBES_SECOND_OPINION_EVERY?: number | undefined;
  readonly HEALTH_PROBES_PROBE_EVERY?: number | undefined;
  /** The single options of `HEALTH_METRICS`. */
  readonly HEALTH_METRICS_PATH?: string | undefined;
  readonly HEALTH_METRICS_REFRESH?: number | undefined;
  readonly HEALTH_METRICS_REGISTRY?: MetricsRegistry | undefined;
  readonly HEALTH_METRICS_REQUESTS?: boolean | undefined;
  /** The token of `HEALTH_ERROR_ENDPOINT`, which turns it on. */
  readonly HEALTH_ERROR_ENDPOINT_TOKEN?: string | undefined;
  /** Milliseconds to keep answering after a signal, until load balancers have stopped sending requests. Default 5000; 0 in development, by `NODE_ENV`. */
  readonly HEALTH_DRAIN_DELAY?: number | undefined;
  /** Milliseconds that open requests may take after that; then they are cut off. Default: until 8 s after the signal, at least 3000. */
  readonly HEALTH_DRAIN_TIMEOUT?: number | undefined;
  /** Whether `/__lbheartbeat__` answers 503 after the signal. Default true. */
  readonly HEALTH_FAIL_LBHEARTBEAT?: boolean | undefined;
  /** Whether an application without an HTTP server (NestJS only) serves the endpoints by itself, on `HEALTH_PORT` or `PORT`. Default true, false under `NODE_ENV=test`. */
  readonly HEALTH_WORKER?: boolean | undefined;
  /** For such an application: a Unix socket instead of the port. */
  readonly HEALTH_SOCKET?: string | undefined;
  /** For such an application: a file that is touched while the checks pass. */
  readonly HEALTH_FILE?: string | undefined;
  /** Milliseconds between two runs of the checks for that file. Default 10000. */
  readonly HEALTH_FILE_INTERVAL?: number | undefined;
}

/** The settings of any framework. */
export type AnySettings = Settings<unknown, unknown>;

/** Settings-style: created from settings. The constructor checks them, `load` fetches what their import paths name. */
export class SettingsHealth<Request = unknown, Own = Request> extends HealthCore<Request, Own> {
  readonly #settings: AnySettings;
  readonly #nameOf: (option: string) => string;

  constructor(settings: AnySettings) {
    const { options, nameOf } = optionsOf<Request, Own>(settings);
    const versionPath = options.versionPath ?? '';
    const logger = loggerOf(settings.HEALTH_LOGGER, undefined, 'HEALTH_LOGGER', true);
    super(resolveOptions(options, { versionPath, logger }, ownSettings, nameOf, true), openFeatures);
    this.#settings = settings;
    this.#nameOf = nameOf;
  }

  /** Starts the watchdog if the settings ask for one. For applications that serve requests. */
  watch(): void {
    startWatchdog(this, engineOf(this), () => import('../../watchdog/index.js'));
  }

  /** Registers the version callback and the checks; rejects if an import path cannot be used. */
  async load(host: SettingsHost): Promise<void> {
    const { HEALTH_VERSION_CALLBACK: callback, HEALTH_CHECKS: checks } = this.#settings;
    const baseDir = this.options.versionPath;
    const version = readOption(
      callback,
      'versionCallback',
      callbackRule,
      undefined,
      'HEALTH_VERSION_CALLBACK',
      true,
    );
    if (typeof version === 'function') this.versionCallback(version);
    else if (version !== undefined) this.versionCallback(await importCallback(version, baseDir));

    const listed = readOption(checks, 'checks', checksRule, undefined, 'HEALTH_CHECKS', true);
    const asked = new Set<ClientOption>();
    for (const entry of Array.isArray(listed) ? listed : [listed ?? defaultChecks(this.#settings)].flat()) {
      for (const option of await registerSettingsCheck(this, entry, baseDir, host)) asked.add(option);
    }
    for (const msg of clientsLeftOut(this.#settings, asked)) {
      engineOf(this).log({ logger: 'health', level: levels.warning, time: Date.now(), fields: {}, msg });
    }
  }

  /** Throws on options for checks that do not exist. Called when the application has registered its own. */
  requireKnownChecks(): void {
    engineOf(this).requireKnownChecks(this.#nameOf('checkOptions'));
  }
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

const debugRule: Rule<boolean | ((request: never) => boolean)> = {
  ...flag,
  expects: 'true, false or a function that takes the request',
  accepts: (value): value is boolean | ((request: never) => boolean) =>
    typeof value === 'boolean' || typeof value === 'function',
};

async function importCallback(path: string, baseDir: string): Promise<VersionCallback> {
  const { value } = await importPath('HEALTH_VERSION_CALLBACK', path, baseDir);
  if (callbackRule.accepts(value) && typeof value === 'function') return value;
  throw importPathInvalid('HEALTH_VERSION_CALLBACK', path, `it is ${shown(value)}, not a function`);
}

/** The settings by the names of options. */
function optionsOf<Request, Own>(
  settings: AnySettings,
): {
  readonly options: CoreOptions<Request, Own>;
  readonly nameOf: (option: string) => string;
} {
  const { BASE_DIR: baseDir, DEBUG: debug }: { BASE_DIR?: unknown; DEBUG?: unknown } = settings;
  const versionPath = requireBaseDir(baseDir);
  const { options, nameOf } = byOption(settings);
  // Never from the environment: a variable must not open what the settings hide.
  const details =
    debug === undefined || debug === '' ? false : readOption(debug, 'debug', debugRule, false, 'DEBUG', true);
  const named = { ...options, ...featuresOf(settings), versionPath, details };
  return { options: areOptions<Request, Own>(named) ? named : {}, nameOf };
}

/** They have to be looked at one by one: resolveOptions does, and refuses names and values it does not know. */
function areOptions<Request, Own>(named: object): named is CoreOptions<Request, Own> {
  return 'versionPath' in named;
}
