import { readFeature, type ReadPart } from './feature-options.js';
import { flag, optional, pagePath, type Rule, timeout } from './rules.js';

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
  /** Milliseconds after which a scrape does not show the last heartbeat but lets one run. Default: no check runs for a scrape. */
  readonly refresh?: number | undefined;
  /** The registry that you have: the series are added to it. */
  readonly registry?: MetricsRegistry | undefined;
  /** Whether the requests of the application are measured too, by method, route and status code. Default false. */
  readonly requests?: boolean | undefined;
}

/** The same with every default filled in. */
export interface ResolvedMetrics {
  readonly path: string | undefined;
  readonly refresh: number | undefined;
  readonly registry: MetricsRegistry | undefined;
  readonly requests: boolean;
}

/** What was given under the name `label`, else the variables; undefined where nobody asks for metrics. */
export function readMetrics(given: unknown, label = 'metrics', texts = false): ResolvedMetrics | undefined {
  return readFeature(metrics, given, label, texts);
}

const metricsPath = {
  ...pagePath,
  expects: 'a path such as "/__metrics__", other than the three endpoints',
};

const registryRule: Rule<MetricsRegistry | undefined> = {
  expects: 'a prom-client or @prometheus-io/client registry',
  accepts: (value): value is MetricsRegistry =>
    typeof value === 'object' &&
    value !== null &&
    ['registerMetric', 'getSingleMetric', 'removeSingleMetric', 'metrics'].every(
      (name) => typeof Reflect.get(value, name) === 'function',
    ),
};

const metrics = {
  name: 'metrics',
  parts: ['path', 'refresh', 'registry', 'requests'],
  askedBy: ['path'],
  example: '{ path: "/metrics" }',
  resolve(read: ReadPart): ResolvedMetrics {
    const registry = read('registry', registryRule, undefined);
    const usual = registry === undefined ? '/__metrics__' : undefined;
    return {
      path: read('path', optional(metricsPath), usual),
      refresh: read('refresh', optional(timeout), undefined),
      registry,
      requests: read('requests', flag, false),
    };
  },
};
