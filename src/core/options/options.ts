import {
  type CheckOptionsByName,
  checkOptionsByName,
  type GroupsByName,
  groupsByName,
} from '../heartbeat/check.js';
import type { LevelName } from '../heartbeat/messages.js';
import type { Logger } from '../log.js';
import { host } from '../runtime.js';
import {
  directory,
  type Duration,
  duration,
  type Filled,
  flag,
  flagOrFunction,
  functionOf,
  headerName,
  idList,
  integer,
  interval,
  levelName,
  pathPrefix,
  text,
  timeout,
} from './rules.js';
import { optionUnknown } from './errors.js';
import {
  features,
  type HealthDrainOptions,
  type MetricsOptions,
  type Of,
  type PageOptions,
  type ProbesOptions,
  type ResolvedDrain,
  type ResolvedMetrics,
  type ResolvedPage,
  type ResolvedProbes,
  type ResolvedSummary,
  type ResolvedWatchdog,
  type SummaryOptions,
  type WatchdogOptions,
} from './features.js';
import {
  type Declaration,
  type Declares,
  type FeatureOption,
  readDeclared,
  readFeature,
} from './read-options.js';

/**
 * Options of every Health. `Request` is the raw request, before the framework wraps it, `FrameworkRequest` what the framework
 * makes of it. Each option but the functions is also read from `HEALTH_` + its name in capitals.
 */
export interface CoreOptions<Request = unknown, FrameworkRequest = Request> {
  /** Directory that contains `version.json`: a path or a `file:` URL. */
  readonly versionPath?: string | URL | undefined;
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
  /**
   * How often the messages of a check are logged again while they last. They are logged at once when they begin or change, and a line says
   * that the check passes again. 0 logs them with every run. Default 60000.
   */
  readonly failureLogInterval?: Duration | undefined;
  /** The health page: true, or its options. Also `HEALTH_PAGE`, `HEALTH_PAGE_PATH` and so on. Default: none. */
  readonly page?: boolean | PageOptions | undefined;
  /**
   * A path under which every endpoint is served as well, such as `'/shop'`: for proxies that do not strip it. The paths without it stay. Default: none.
   */
  readonly prefix?: string | undefined;
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
   * On SIGTERM or SIGINT, finishes the requests in progress before the process ends: true, or its options. Also `HEALTH_DRAIN`,
   * `HEALTH_DRAIN_DELAY` and so on. Default: none, true on NestJS and AdonisJS. `drainOnSignals`, also of workers, reads these options.
   */
  readonly drain?: boolean | HealthDrainOptions | undefined;
  /** The request summaries: false for none, or their options. Also `HEALTH_SUMMARY`, `HEALTH_SUMMARY_IGNORE` and so on. Default: one for each request. */
  readonly summary?: boolean | SummaryOptions<FrameworkRequest> | undefined;
  /** Header that carries the request id. Default `X-Request-Id`. */
  readonly requestIdHeaderName?: string | undefined;
  /** Whether `requestId()` and loggers know the current request, through AsyncLocalStorage. Default true. */
  readonly requestContext?: boolean | undefined;
  /** Whether heartbeats and checks are reported to OpenTelemetry's global MeterProvider. Default false. */
  readonly otel?: boolean | undefined;
  /** Returns the user of a request, for the `uid` of its summary; gets the framework's request. Default: `request.user.id` and similar properties that authentication sets. */
  readonly uid?: Of<FrameworkRequest, string | number | bigint | null | undefined> | undefined;
  /** `Logger` field of the log records. Default `lifesign`. */
  readonly loggerName?: string | undefined;
}

/** The features whose options are one object each; undefined if they are off. */
interface ResolvedFeatures<FrameworkRequest = unknown> {
  readonly page: ResolvedPage | undefined;
  readonly summary: ResolvedSummary<FrameworkRequest> | undefined;
  readonly watchdog: ResolvedWatchdog | undefined;
  readonly probes: ResolvedProbes | undefined;
  readonly metrics: ResolvedMetrics | undefined;
  readonly drain: ResolvedDrain | undefined;
}

type FeatureName = keyof ResolvedFeatures;

/** Options without a default: undefined if they are not set. */
type Unset = 'every' | 'healthPort' | 'keepAlive' | 'prefix' | 'uid';

/** The options with every default filled in. */
export interface ResolvedOptions<Request = unknown, FrameworkRequest = Request>
  extends
    Filled<Omit<CoreOptions<Request, FrameworkRequest>, FeatureName | 'versionPath'>, Unset>,
    ResolvedFeatures<FrameworkRequest> {
  readonly versionPath: string;
  readonly logger: Logger;
  /** @internal Where `version.json` is searched after `versionPath`, if that is not set. */
  readonly versionFallbacks: readonly string[];
}

/** Every option but the options of features: its rule and its default. @internal */
export const coreOptions = {
  loggerName: [text, 'lifesign'],
  versionPath: [directory, undefined],
  failLevel: [levelName, 'warning'],
  failedStatusCode: [integer(400, 599), 500],
  details: [flagOrFunction, true],
  silencedChecks: [idList, []],
  timeout: [timeout, 5000],
  coalesce: [flag, false],
  cacheFor: [duration, 0],
  every: [interval, undefined],
  checkOptions: [checkOptionsByName, {}],
  groups: [groupsByName, {}],
  publicMessages: [flag, true],
  failureLogInterval: [duration, 60_000],
  prefix: [pathPrefix, undefined],
  healthPort: [integer(0, 65535), undefined],
  healthPortOnly: [flag, false],
  keepAlive: [timeout, undefined],
  requestIdHeaderName: [headerName, 'X-Request-Id'],
  requestContext: [flag, true],
  otel: [flag, false],
  uid: [functionOf('the request'), undefined],
} satisfies Declares<Omit<CoreOptions<never>, FeatureName>>;

/** Where `version.json` is searched, in this order, if no option says where it is. */
export interface VersionDefaults {
  readonly versionPath: string;
  readonly versionFallbacks?: readonly string[];
}

/** The options whose functions get the request of the framework, which no rule knows. */
type OfRequest = 'details' | 'summary' | 'uid';

interface Given {
  /** The options that the caller handles itself. */
  readonly also?: readonly string[];
  /** The caller's name for an option. */
  readonly nameOf?: (option: string) => string;
  /** Whether `drain` is on unless it is turned off. */
  readonly drains?: boolean;
}

/** A directory as a path; runtimes without Node's modules read no file. */
export function directoryPath(given: string | URL): string {
  if (typeof given === 'string' && !/^file:/i.test(given)) return given;
  return host.getBuiltinModule?.('node:url').fileURLToPath(given) ?? String(given);
}

/** Validates every option once, at start. Arguments win over the environment, the environment over `defaults`. */
export function resolveOptions<Request, FrameworkRequest = Request>(
  given: CoreOptions<Request, FrameworkRequest>,
  defaults: VersionDefaults & { readonly logger: (loggerName: string) => Logger },
  { also = [], nameOf = (option) => option, drains = false }: Given = {},
): ResolvedOptions<Request, FrameworkRequest> {
  const values = readDeclared(coreOptions, given, undefined, nameOf);
  const read = <Table extends Declaration>(feature: FeatureOption<Table>) =>
    readFeature(feature, Reflect.get(given, feature.name));
  const versionPath = values.versionPath && directoryPath(values.versionPath);
  const resolved: ResolvedOptions<Request, FrameworkRequest> = {
    ...values,
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the rules saw that they are functions, the caller's type says of which request
    ...({ ...values, summary: read(features.summary) } as Pick<
      ResolvedOptions<Request, FrameworkRequest>,
      OfRequest
    >),
    logger: defaults.logger(values.loggerName),
    versionPath: versionPath ?? defaults.versionPath,
    versionFallbacks: versionPath === undefined ? (defaults.versionFallbacks ?? []) : [],
    requestIdHeaderName: values.requestIdHeaderName.toLowerCase(),
    page: read(features.page),
    watchdog: read(features.watchdog),
    probes: read(features.probes),
    metrics: read(features.metrics),
    drain: read({ ...features.drain, isOn: drains }),
  };
  const known = [...also, ...Object.keys({ ...features, ...coreOptions }).map(nameOf)];
  for (const name of Object.keys(given)) {
    if (!known.includes(nameOf(name))) throw optionUnknown(nameOf(name), known);
  }
  return resolved;
}
