import { checkOptionsByName, type CheckOptionsByName } from '../heartbeat/check-options.js';
import {
  type ErrorEndpointOptions,
  readErrorEndpoint,
  type ResolvedErrorEndpoint,
} from './error-endpoint.js';
import { optionUnknown } from './errors.js';
import { type GroupsByName, groupsByName } from './groups.js';
import type { Logger } from '../log.js';
import type { LevelName } from '../heartbeat/messages.js';
import {
  headerName,
  idList,
  integer,
  levelName,
  optional,
  pathList,
  pagePath,
  duration,
  sampleRate,
  text,
  timeout,
  flag,
} from './rules.js';
import type { Rule } from './rules.js';
import { readOption, variableOf } from './read-option.js';
import { type ProbesOptions, readProbes, type ResolvedProbes } from './probes.js';
import { type MetricsOptions, readMetrics, type ResolvedMetrics } from './metrics.js';
import { readWatchdog, type ResolvedWatchdog, type WatchdogOptions } from './watchdog.js';

export { readOption, variableOf };

/**
 * A function of a request. Bivariant, as methods are: a type that says more of the request, such as a session, is taken.
 */
type Of<Request, T> = { of(request: Request): T }['of'];

/**
 * Options of every Health. `Request` is what there is before the framework comes to a request, `Own` what the framework
 * makes of it. Each option but the functions is also read from `HEALTH_` + its name in capitals.
 */
export interface CoreOptions<Request = unknown, Own = Request> {
  /** Directory that contains `version.json`. */
  readonly versionPath?: string | undefined;
  /** The lowest level that fails the heartbeat. Default `warning`. */
  readonly failLevel?: LevelName | undefined;
  /** Status code of a failed heartbeat, 400 to 599. Default 500. */
  readonly failedStatusCode?: number | undefined;
  /** Whether the report lists checks and details, or a function that decides for each request. It runs before the framework and gets the raw request. Default true. */
  readonly details?: boolean | ((request: Request) => boolean) | undefined;
  /** Ids of messages to drop before the level is computed. */
  readonly silencedChecks?: readonly string[] | undefined;
  /** Milliseconds a check may take. Default 5000. */
  readonly timeout?: number | undefined;
  /** Milliseconds that the whole heartbeat may take: unfinished checks become `health.E012`. Default: only the timeouts of the checks. */
  readonly heartbeatTimeout?: number | undefined;
  /** Whether overlapping heartbeats share one run of the checks. Default false. */
  readonly coalesce?: boolean | undefined;
  /** Milliseconds for which the result of a check is reused without a new run. Default 0: every heartbeat runs every check. */
  readonly cacheFor?: number | undefined;
  /** Options of single checks by name, such as the built-in ones: `{ check_redis_connected: { maxLevel: 'info' } }`. */
  readonly checkOptions?: CheckOptionsByName | undefined;
  /**
   * Groups of checks, each with its own endpoint: `{ payments: ['stripe', 'check_database_connected'] }` is also served at
   * `/__heartbeat__/payments`. `/__heartbeat__` runs every check as before. Default: none.
   */
  readonly groups?: GroupsByName | undefined;
  /** Whether the report shows the texts of messages; `false` shows only their ids. The log always has the texts. Default true. */
  readonly publicMessages?: boolean | undefined;
  /** Whether the health page is served. Default false. */
  readonly page?: boolean | undefined;
  /** Where the health page is served. Default `/__health__`. */
  readonly pagePath?: string | undefined;
  /** How many health pages may be open at once; further ones get a 503 for live updates. Default 100. */
  readonly pageConnections?: number | undefined;
  /** A separate port for the endpoints and the page. Also `HEALTH_PORT`. Default: none. */
  readonly healthPort?: number | undefined;
  /** Whether they are served only on that port, not on the application's. Also `HEALTH_PORT_ONLY`. Default false. */
  readonly healthPortOnly?: boolean | undefined;
  /** The event-loop watchdog: true, or its options. Also `HEALTH_WATCHDOG`, `HEALTH_WATCHDOG_PORT` and so on. Default: none. */
  readonly watchdog?: boolean | WatchdogOptions | undefined;
  /** The probes `/livez`, `/readyz` and `/startupz`: true, or their options. Also `HEALTH_PROBES`, `HEALTH_PROBES_LIVE` and so on. Default: none. */
  readonly probes?: boolean | ProbesOptions | undefined;
  /** Metrics for Prometheus: true, or their options. Also `HEALTH_METRICS`, `HEALTH_METRICS_PATH` and so on. Default: none. */
  readonly metrics?: boolean | MetricsOptions | undefined;
  /**
   * `/__error__`, which throws on purpose, to test your error reporting: `{ token }`. Also `HEALTH_ERROR_ENDPOINT_TOKEN`. Default: none.
   */
  readonly errorEndpoint?: boolean | ErrorEndpointOptions | undefined;
  /** Whether a `request.summary` record is logged per request. Default true. */
  readonly summary?: boolean | undefined;
  /** Whether requests to the three endpoints are logged too; a number from 0 to 1 logs that share of the successful ones and every failed one. Default true. */
  readonly summaryHealthEndpoints?: boolean | number | undefined;
  /** Whether `request.summary` includes the query string. Default false. */
  readonly summaryLogQuerystring?: boolean | undefined;
  /**
   * Requests without a summary: paths such as `/metrics` or `/static/*`, or a function of the request that returns
   * true, or a number from 0 to 1 for the share to omit. Responses with 500 and above are always logged. Default: none.
   */
  readonly summaryIgnore?: readonly string[] | Of<Own, boolean | number> | undefined;
  /** Your own fields for each summary: at most 20 strings, numbers or booleans. Default: none. */
  readonly summaryFields?:
    | Of<Own, Readonly<Record<string, string | number | bigint | boolean | null | undefined>>>
    | undefined;
  /** Whether the summary of a request whose handler threw includes the error and its stack. Default false. */
  readonly summaryTraceback?: boolean | undefined;
  /** Whether errors in the log keep what the database printed of its rows: `Key (email)=(…)`, bound values. Default false. */
  readonly logData?: boolean | undefined;
  /** Header that carries the request id. Default `X-Request-Id`. */
  readonly requestIdHeaderName?: string | undefined;
  /** Whether the request id is also returned in the response. Default false. */
  readonly echoRequestId?: boolean | undefined;
  /** Whether `requestId()` and loggers know the current request, through AsyncLocalStorage. Default true. */
  readonly requestContext?: boolean | undefined;
  /** Whether heartbeats and checks are reported to OpenTelemetry's global MeterProvider. Default false. */
  readonly otel?: boolean | undefined;
  /** Whether log lines include `trace_id` and `span_id` while an OpenTelemetry span is active. Default true. */
  readonly traceIds?: boolean | undefined;
  /** Returns the user of a request, for the `uid` of its summary; gets the framework's request. Default: `request.user.id` and similar properties that authentication sets. */
  readonly uid?: Of<Own, string | number | bigint | null | undefined> | undefined;
  /** `Logger` field of the log records. Default `lifesign`. */
  readonly loggerName?: string | undefined;
}

type Filled<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

/** The options with every default filled in. */
export interface ResolvedOptions<Request = unknown, Own = Request> extends Filled<
  Omit<
    CoreOptions<Request, Own>,
    | 'errorEndpoint'
    | 'healthPort'
    | 'heartbeatTimeout'
    | 'metrics'
    | 'probes'
    | 'summaryFields'
    | 'uid'
    | 'watchdog'
  >
> {
  readonly summaryFields: CoreOptions<Request, Own>['summaryFields'];
  readonly heartbeatTimeout: number | undefined;
  readonly healthPort: number | undefined;
  readonly watchdog: ResolvedWatchdog | undefined;
  readonly probes: ResolvedProbes | undefined;
  readonly metrics: ResolvedMetrics | undefined;
  readonly errorEndpoint: ResolvedErrorEndpoint | undefined;
  readonly uid: CoreOptions<Request, Own>['uid'];
  readonly logger: Logger;
  /** @internal Where `version.json` is looked for after `versionPath`, where nobody has set that. */
  readonly versionFallbacks: readonly string[];
}

/** Where `version.json` is looked for, one after the other, where nobody says where. */
export interface VersionDefaults {
  readonly versionPath: string;
  readonly versionFallbacks?: readonly string[];
}

/**
 * Checks every option once, at start. What the caller gives wins over the environment,
 * the environment over `defaults`. `also` names the options that the caller handles itself, `nameOf` what it calls
 * the others, `texts` whether a text may stand for a number, true or false, or a list.
 */
export function resolveOptions<Request, Own = Request>(
  given: CoreOptions<Request, Own>,
  defaults: VersionDefaults & { readonly logger: (loggerName: string) => Logger },
  also: readonly string[] = [],
  nameOf: (option: string) => string = (option) => option,
  texts = false,
): ResolvedOptions<Request, Own> {
  const objects = ['watchdog', 'probes', 'metrics', 'errorEndpoint'].map(nameOf);
  const known: string[] = [...also, ...objects];

  function read<T>(name: keyof CoreOptions, rule: Rule<T>, fallback: T): T {
    known.push(nameOf(name));
    return readOption(given[name], name, rule, fallback, nameOf(name), texts);
  }

  const detailsRule: Rule<boolean | ((request: Request) => boolean)> = {
    ...flag,
    expects: 'true, false or a function that takes the request',
    accepts: (value): value is boolean | ((request: Request) => boolean) =>
      typeof value === 'boolean' || typeof value === 'function',
  };

  const uidRule: Rule<CoreOptions<Request, Own>['uid']> = {
    expects: 'a function that takes the request',
    accepts: (value): value is CoreOptions<Request, Own>['uid'] => typeof value === 'function',
  };

  const ignoreRule: Rule<ResolvedOptions<Request, Own>['summaryIgnore']> = {
    ...pathList,
    expects: 'a list of paths such as "/metrics" or "/static/*", or a function that takes the request',
    accepts: (value): value is ResolvedOptions<Request, Own>['summaryIgnore'] =>
      typeof value === 'function' || pathList.accepts(value),
  };

  const fieldsRule: Rule<CoreOptions<Request, Own>['summaryFields']> = {
    expects: 'a function that takes the request and returns an object',
    accepts: (value): value is CoreOptions<Request, Own>['summaryFields'] => typeof value === 'function',
  };

  const loggerName = read('loggerName', text, 'lifesign');
  const versionPath = read('versionPath', optional(text), undefined);
  const resolved: ResolvedOptions<Request, Own> = {
    loggerName,
    logger: defaults.logger(loggerName),
    versionPath: versionPath ?? defaults.versionPath,
    versionFallbacks: versionPath === undefined ? (defaults.versionFallbacks ?? []) : [],
    failLevel: read('failLevel', levelName, 'warning'),
    failedStatusCode: read('failedStatusCode', integer(400, 599), 500),
    details: read('details', detailsRule, true),
    silencedChecks: read('silencedChecks', idList, []),
    timeout: read('timeout', timeout, 5000),
    heartbeatTimeout: read('heartbeatTimeout', optional(timeout), undefined),
    coalesce: read('coalesce', flag, false),
    cacheFor: read('cacheFor', duration, 0),
    checkOptions: read('checkOptions', checkOptionsByName, {}),
    groups: read('groups', groupsByName, {}),
    publicMessages: read('publicMessages', flag, true),
    page: read('page', flag, false),
    pagePath: read('pagePath', pagePath, '/__health__'),
    pageConnections: read('pageConnections', integer(0, 100_000), 100),
    healthPort: read('healthPort', optional(integer(0, 65535)), undefined),
    healthPortOnly: read('healthPortOnly', flag, false),
    watchdog: readWatchdog(given.watchdog, nameOf('watchdog'), texts),
    probes: readProbes(given.probes, nameOf('probes'), texts),
    metrics: readMetrics(given.metrics, nameOf('metrics'), texts),
    errorEndpoint: readErrorEndpoint(given.errorEndpoint, nameOf('errorEndpoint'), texts),
    summary: read('summary', flag, true),
    summaryHealthEndpoints: read('summaryHealthEndpoints', sampleRate, true),
    summaryLogQuerystring: read('summaryLogQuerystring', flag, false),
    summaryIgnore: read('summaryIgnore', ignoreRule, []),
    summaryFields: read('summaryFields', fieldsRule, undefined),
    summaryTraceback: read('summaryTraceback', flag, false),
    logData: read('logData', flag, false),
    requestIdHeaderName: read('requestIdHeaderName', headerName, 'X-Request-Id').toLowerCase(),
    echoRequestId: read('echoRequestId', flag, false),
    requestContext: read('requestContext', flag, true),
    otel: read('otel', flag, false),
    traceIds: read('traceIds', flag, true),
    uid: read('uid', uidRule, undefined),
  };

  for (const name of Object.keys(given)) {
    if (!known.includes(nameOf(name))) throw optionUnknown(nameOf(name), known);
  }
  return resolved;
}
