import { checkOptionsByName, type CheckOptionsByName } from '../heartbeat/check-options.js';
import type { Logger } from '../log.js';
import type { LevelName } from '../heartbeat/messages.js';
import type { Declares } from './declaration.js';
import type { Duration } from './duration.js';
import type { ErrorEndpointOptions, ResolvedErrorEndpoint } from './error-endpoint.js';
import type { Filled } from './filled.js';
import { type GroupsByName, groupsByName } from './groups.js';
import type { MetricsOptions, ResolvedMetrics } from './metrics.js';
import type { ProbesOptions, ResolvedProbes } from './probes.js';
import {
  duration,
  flag,
  flagOrFunction,
  functionOf,
  headerName,
  idList,
  integer,
  interval,
  levelName,
  pagePath,
  pathsOrFunction,
  sampleRate,
  text,
  timeout,
} from './rules.js';
import type { ResolvedWatchdog, WatchdogOptions } from './watchdog.js';

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
  /** How long a check may take: milliseconds, or a text such as `'5s'`, as for every time. Default 5000. */
  readonly timeout?: Duration | undefined;
  /** How long the whole heartbeat may take: unfinished checks become `health.E012`. Default: only the timeouts of the checks. */
  readonly heartbeatTimeout?: Duration | undefined;
  /** Whether overlapping heartbeats share one run of the checks. Default false. */
  readonly coalesce?: boolean | undefined;
  /** How long the result of a check is reused without a new run. Default 0: every heartbeat runs every check. */
  readonly cacheFor?: Duration | undefined;
  /**
   * Runs every check on a schedule, such as `'30s'`, however many requests come: heartbeats get the last results at once, never older than twice this
   * time. Default: none, every heartbeat runs every check.
   */
  readonly every?: Duration | undefined;
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
  /**
   * How long your server keeps an idle connection: above the idle timeout of your load balancer, such as `'65s'` for 60 s, so that no request
   * meets a closed one. Default: what the server has, which is 5 s on Node 20 to 24.
   */
  readonly keepAlive?: Duration | undefined;
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

/** The features whose options are one object each; undefined if they are off. */
interface ResolvedFeatures {
  readonly watchdog: ResolvedWatchdog | undefined;
  readonly probes: ResolvedProbes | undefined;
  readonly metrics: ResolvedMetrics | undefined;
  readonly errorEndpoint: ResolvedErrorEndpoint | undefined;
}

export type FeatureName = keyof ResolvedFeatures;

/** Options without a default: undefined if they are not set. */
type Unset = 'every' | 'healthPort' | 'heartbeatTimeout' | 'keepAlive' | 'summaryFields' | 'uid';

/** The options with every default filled in. */
export interface ResolvedOptions<Request = unknown, Own = Request>
  extends Filled<Omit<CoreOptions<Request, Own>, Unset | FeatureName>>, ResolvedFeatures {
  readonly summaryFields: CoreOptions<Request, Own>['summaryFields'];
  readonly heartbeatTimeout: number | undefined;
  readonly every: number | undefined;
  readonly healthPort: number | undefined;
  readonly keepAlive: number | undefined;
  readonly uid: CoreOptions<Request, Own>['uid'];
  readonly logger: Logger;
  /** @internal Where `version.json` is searched after `versionPath`, if that is not set. */
  readonly versionFallbacks: readonly string[];
}

/** Every option but those of the features: its rule and its default. @internal */
export const coreOptions = {
  loggerName: [text, 'lifesign'],
  versionPath: [text, undefined],
  failLevel: [levelName, 'warning'],
  failedStatusCode: [integer(400, 599), 500],
  details: [flagOrFunction, true],
  silencedChecks: [idList, []],
  timeout: [timeout, 5000],
  heartbeatTimeout: [timeout, undefined],
  coalesce: [flag, false],
  cacheFor: [duration, 0],
  every: [interval, undefined],
  checkOptions: [checkOptionsByName, {}],
  groups: [groupsByName, {}],
  publicMessages: [flag, true],
  page: [flag, false],
  pagePath: [pagePath, '/__health__'],
  pageConnections: [integer(0, 100_000), 100],
  healthPort: [integer(0, 65535), undefined],
  healthPortOnly: [flag, false],
  keepAlive: [timeout, undefined],
  summary: [flag, true],
  summaryHealthEndpoints: [sampleRate, true],
  summaryLogQuerystring: [flag, false],
  summaryIgnore: [pathsOrFunction, []],
  summaryFields: [functionOf('the request and returns an object'), undefined],
  summaryTraceback: [flag, false],
  logData: [flag, false],
  requestIdHeaderName: [headerName, 'X-Request-Id'],
  echoRequestId: [flag, false],
  requestContext: [flag, true],
  otel: [flag, false],
  traceIds: [flag, true],
  uid: [functionOf('the request'), undefined],
} satisfies Declares<Omit<CoreOptions<never>, FeatureName>>;
