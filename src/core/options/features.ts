import { hasFunctions } from '../objects.js';
import { optionInvalid } from './errors.js';
import type { Declaration, Declares, FeatureOption } from './read-options.js';
import {
  type Duration,
  duration,
  type Filled,
  flag,
  functionOf,
  integer,
  listOf,
  oneOf,
  pagePath,
  pathsOrFunction,
  type Rule,
  runs,
  sampleRate,
  time,
  timeout,
} from './rules.js';

/**
 * A function of a request. Bivariant, as methods are: a type that says more of the request, such as a session, is accepted.
 */
export type Of<Request, T> = { of(request: Request): T }['of'];

/**
 * Options of the request summaries; `FrameworkRequest` is the request of the framework. Each but `fields` is also read from `HEALTH_SUMMARY_` + its
 * name in capitals.
 */
export interface SummaryOptions<FrameworkRequest = unknown> {
  /** Whether requests to the three endpoints are logged too; a number from 0 to 1 logs that share of the successful ones and every failed one. Default true. */
  readonly healthEndpoints?: boolean | number | undefined;
  /** Whether the query string is included. Default false. */
  readonly querystring?: boolean | undefined;
  /**
   * Requests without a summary: paths such as `/metrics` or `/static/*`, or a function of the request that returns
   * true, or a number from 0 to 1 for the share to omit. Responses with 500 and above are always logged. Default: none.
   */
  readonly ignore?: readonly string[] | Of<FrameworkRequest, boolean | number> | undefined;
  /** Your own fields for each summary: at most 20 strings, numbers or booleans. Default: none. */
  readonly fields?:
    | Of<FrameworkRequest, Readonly<Record<string, string | number | bigint | boolean | null | undefined>>>
    | undefined;
}

/** The same with every default filled in. */
export type ResolvedSummary<FrameworkRequest = unknown> = Filled<SummaryOptions<FrameworkRequest>, 'fields'>;

/** Options of the health page. Each is also read from `HEALTH_PAGE_` + its name in capitals. */
export interface PageOptions {
  /** Where it is served. Default `/__health__`. */
  readonly path?: string | undefined;
}

/** The same with every default filled in. */
export type ResolvedPage = Filled<PageOptions>;

/** When an application counts as started. */
type StartWhen = 'listening' | 'called' | 'checks';

/** Options of the probes. Each is also read from `HEALTH_PROBES_` + its name in capitals. */
export interface ProbesOptions {
  /** The path, or a list of paths, of the liveness probe: would a restart help? Default `/livez`. */
  readonly live?: string | readonly string[] | undefined;
  /** The path or paths of the readiness probe: may this instance get traffic? Default `/readyz`. */
  readonly ready?: string | readonly string[] | undefined;
  /** The path or paths of the startup probe: has the application started? Default `/startupz`. */
  readonly started?: string | readonly string[] | undefined;
  /**
   * When the application counts as started: `'listening'` when the server listens, `'called'` when you call `health.started()`,
   * `'checks'` when every check has passed. `health.started()` works with all of them. Default `'listening'`.
   */
  readonly startWhen?: StartWhen | undefined;
  /** Consecutive failed runs after which a check whose failure affects only this instance fails `/readyz`. Default 1. */
  readonly failureThreshold?: number | undefined;
  /** Consecutive passed runs after which it passes again. Default 1. */
  readonly successThreshold?: number | undefined;
  /**
   * After how long a failure of only this instance fails `/livez`; up to half is added at random; 0 for never. Default: 60000
   * for the built-in `db` and `redis` checks if a second opinion proves it, 0 for all others.
   */
  readonly restartAfter?: Duration | undefined;
  /** Minimum time between two second opinions about one dependency, on average. Default 10000. */
  readonly secondOpinionEvery?: Duration | undefined;
  /** Minimum time between two runs of the checks for the probes; up to a quarter is added at random. Default 1000. */
  readonly probeEvery?: Duration | undefined;
  /**
   * Other instances of this service: a name and a port such as `'shop-headless:8000'`, which stands for all its addresses, or a list of them. When
   * a dependency fails here, up to three of them are queried about whether they reach it. Default: none.
   */
  readonly peers?: string | readonly string[] | undefined;
}

type Listed = 'live' | 'ready' | 'started' | 'peers';

/** The same with every default filled in; `restartAfter` is undefined for the default of each check. */
export type ResolvedProbes = Filled<Omit<ProbesOptions, Listed>, 'restartAfter'> &
  Readonly<Record<Listed, readonly string[]>>;

/** The path on which instances of a service query each other. */
export const peerPath = '/__peer__';

/** Options of the watchdog. Each is also read from `HEALTH_WATCHDOG_` + its name in capitals. */
export interface WatchdogOptions {
  /** The port that answers `/__lbheartbeat__` while the event loop is blocked. 0 picks a free one. Default 8001. */
  readonly port?: number | undefined;
  /** After how long a blocked event loop is `busy` and logged. Default 1000. */
  readonly busyAfter?: Duration | undefined;
  /** After how long it is `stuck`: the port answers 503. Default 60000. */
  readonly stuckAfter?: Duration | undefined;
  /**
   * The file that says why the process ended, or false for none. It is written only if it exists, as in a container of Kubernetes.
   * Default `/dev/termination-log`.
   */
  readonly terminationLog?: string | false | undefined;
}

/** The same with every default filled in. */
export type ResolvedWatchdog = Filled<WatchdogOptions>;

/** A registry of `prom-client` or `@prometheus-io/client`, as far as it is used. */
export interface MetricsRegistry {
  readonly contentType: string;
  registerMetric(metric: never): void;
  getSingleMetric(name: string): unknown;
  removeSingleMetric(name: string): void;
  metrics(): Promise<string>;
}

/** Options of the metrics. Each but `registry` is also read from `HEALTH_METRICS_` + its name in capitals. */
export interface MetricsOptions {
  /** Where they are served. Default `/__metrics__`; none with a `registry`, whose endpoint has them. */
  readonly path?: string | undefined;
  /** After how long a scrape does not show the last heartbeat but lets one run. Default: no check runs for a scrape. */
  readonly refresh?: Duration | undefined;
  /** The registry that you have: the series are added to it. */
  readonly registry?: MetricsRegistry | undefined;
}

/** The same with every default filled in. */
export type ResolvedMetrics = Filled<MetricsOptions, 'path' | 'refresh' | 'registry'>;

/** Options of draining. Each is also read from `HEALTH_DRAIN_` + its name in capitals. */
export interface HealthDrainOptions {
  /** How long a server keeps answering after the signal, until load balancers have stopped sending requests. Default 5000; 0 if `NODE_ENV` is `development` or `test`, or is not set and the process runs at a terminal. */
  readonly delay?: Duration | undefined;
  /** How long requests, or the jobs of a worker, may take once no new ones are accepted; then they are cut off. Default: until 8 s after the signal, at least 3000. */
  readonly timeout?: Duration | undefined;
  /** How long all of `onShutdown` may take. Default: until 9 s after the signal, at least 1000. */
  readonly shutdownTimeout?: Duration | undefined;
  /** Whether `/__lbheartbeat__` answers 503 after the signal, for load balancers that request it and not `/readyz`. Default false. */
  readonly failLbheartbeat?: boolean | undefined;
}

/** The same after reading. A time that is not set depends on how much time has passed since the signal. */
export type ResolvedDrain = Filled<HealthDrainOptions, 'delay' | 'timeout' | 'shutdownTimeout'>;

const probePaths = listOf(
  'a path such as "/livez", other than the three endpoints, or a list of such paths',
  pagePath.accepts,
);

const peerAddress = /^(?:\[[\da-f:.]+\]|[\w.-]+):\d{1,5}$/i;
const peers = listOf(
  'a name and a port such as "shop-headless:8000", or a list of them',
  (address) => peerAddress.test(address) && Number(address.slice(address.lastIndexOf(':') + 1)) <= 65_535,
);

const fileOrFalse: Rule<string | false> = {
  expects: 'a path or false',
  accepts: (value): value is string | false => value === false || (typeof value === 'string' && value !== ''),
  fromText: (value) => (value.toLowerCase() === 'false' ? false : value),
};

const metricsPath: Rule<string> = {
  ...pagePath,
  expects: 'a path such as "/__metrics__", other than the three endpoints',
};

const registryRule: Rule<MetricsRegistry> = {
  expects: 'a prom-client or @prometheus-io/client registry',
  accepts: (value): value is MetricsRegistry =>
    hasFunctions(value, 'registerMetric', 'getSingleMetric', 'removeSingleMetric', 'metrics'),
};

const feature = <Table extends Declaration>(of: FeatureOption<Table>): FeatureOption<Table> => of;

/** Every option of the features: its rule and its default. @internal */
export const features = {
  summary: feature({
    name: 'summary',
    isOn: true,
    example: '{ ignore: ["/metrics"] }',
    parts: {
      healthEndpoints: [sampleRate, true],
      querystring: [flag, false],
      ignore: [pathsOrFunction, []],
      fields: [functionOf('the request and returns an object'), undefined],
    } satisfies Declares<SummaryOptions<never>>,
  }),
  page: feature({
    name: 'page',
    example: '{ path: "/ops/health" }',
    parts: { path: [pagePath, '/__health__'] } satisfies Declares<PageOptions>,
  }),
  probes: feature({
    name: 'probes',
    askedBy: ['live', 'ready', 'started'],
    example: '{ live: "/livez" }',
    parts: {
      live: [probePaths, ['/livez']],
      ready: [probePaths, ['/readyz']],
      started: [probePaths, ['/startupz']],
      startWhen: [oneOf('listening', 'called', 'checks'), 'listening'],
      failureThreshold: [runs, 1],
      successThreshold: [runs, 1],
      restartAfter: [duration, undefined],
      secondOpinionEvery: [timeout, 10_000],
      probeEvery: [timeout, 1000],
      peers: [peers, []],
    } satisfies Declares<ProbesOptions>,
    require: requireApart,
  }),
  watchdog: feature({
    name: 'watchdog',
    askedBy: ['port'],
    example: '{ port: 8001 }',
    parts: {
      port: [integer(0, 65_535), 8001],
      busyAfter: [time(100), 1000],
      stuckAfter: [timeout, ({ busyAfter }) => Math.max(60_000, 2 * Number(busyAfter))],
      terminationLog: [fileOrFalse, '/dev/termination-log'],
    } satisfies Declares<WatchdogOptions>,
    require({ busyAfter, stuckAfter }) {
      if (stuckAfter > busyAfter) return;
      const expects = `greater than busyAfter (${busyAfter})`;
      const fix = 'Raise it, or omit it to use the default.';
      throw optionInvalid('Option watchdog.stuckAfter', stuckAfter, expects, fix);
    },
  }),
  metrics: feature({
    name: 'metrics',
    askedBy: ['path'],
    example: '{ path: "/metrics" }',
    parts: {
      registry: [registryRule, undefined],
      path: [metricsPath, ({ registry }) => (registry === undefined ? '/__metrics__' : undefined)],
      refresh: [timeout, undefined],
    } satisfies Declares<MetricsOptions>,
  }),
  drain: feature({
    name: 'drain',
    example: '{ delay: "10s" }',
    parts: {
      delay: [duration, undefined],
      timeout: [timeout, undefined],
      shutdownTimeout: [timeout, undefined],
      failLbheartbeat: [flag, false],
    } satisfies Declares<HealthDrainOptions>,
  }),
};

/** Each path serves one probe. */
function requireApart(resolved: Pick<ResolvedProbes, 'live' | 'ready' | 'started'>): void {
  const taken = new Map<string, string>();
  for (const kind of ['live', 'ready', 'started'] as const) {
    for (const path of resolved[kind]) {
      const other = taken.get(path);
      if (other !== undefined) {
        const expects = other === kind ? 'listed only once' : `different from the path of probes.${other}`;
        throw optionInvalid(`Option probes.${kind}`, path, expects, 'Each path serves one probe.');
      }
      taken.set(path, kind);
    }
  }
}
