import type { Declares, Values } from './declaration.js';
import type { Duration } from './duration.js';
import { type Rule, timeout } from './rules.js';
import { pagePath } from './uncommon-rules.js';
import { isObject } from '../objects.js';

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
export interface ResolvedMetrics {
  readonly path: string | undefined;
  readonly refresh: number | undefined;
  readonly registry: MetricsRegistry | undefined;
}

const metricsPath = () => ({
  ...pagePath,
  expects: 'a path such as "/__metrics__", other than the three endpoints',
});

const registryRule: Rule<MetricsRegistry> = {
  expects: 'a prom-client or @prometheus-io/client registry',
  accepts: (value): value is MetricsRegistry =>
    isObject(value) &&
    ['registerMetric', 'getSingleMetric', 'removeSingleMetric', 'metrics'].every(
      (name) => typeof Reflect.get(value, name) === 'function',
    ),
};

const parts = () =>
  ({
    path: [metricsPath(), ({ registry }) => (registry === undefined ? '/__metrics__' : undefined)],
    refresh: [timeout, undefined],
    registry: [registryRule, undefined],
  }) satisfies Declares<MetricsOptions>;

/** @internal */
export const metrics = () => ({
  parts: parts(),
  example: '{ path: "/metrics" }',
  resolve: (values: Values<ReturnType<typeof parts>>): ResolvedMetrics => values,
});
