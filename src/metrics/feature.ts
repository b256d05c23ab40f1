import { within } from '../core/time.js';
import { type Answer, json, text } from '../core/endpoints.js';
import type { Feature, FeatureHost } from '../core/feature.js';
import { metricTaken } from '../core/options/errors.js';
import type { MetricsRegistry, ResolvedMetrics } from '../core/options/features.js';
import { headerOf } from '../core/request/request.js';
import { contentType, type Family, write } from './exposition.js';
import type { Series } from './series.js';

/** For callers that may not see details: an operator reads it as the state of a target in Prometheus. */
const answerHidden: Answer = json(403, '{"error":"the metrics are hidden by the details option"}');

/** Milliseconds that a scrape waits for a heartbeat if it does not say how long it will wait: less than Prometheus does. */
const defaultScrapeTimeout = 8000;

/** Answers scrapes with the series. Throws if its registry has one of their names. */
export function metricsFeature<Request>(
  host: FeatureHost<Request>,
  { path, refresh = Infinity, registry }: ResolvedMetrics,
  series: Series,
): Feature<Request> {
  const { families } = series;

  const update = async (limit: number): Promise<void> => {
    // The series have the heartbeat when it ends; a scrape that cannot wait gets the last known values.
    if (series.age > refresh) await within(host.heartbeat(), limit, undefined);
    await series.readBuild();
  };
  const answer = async (request: Request): Promise<Answer> => {
    if (!host.showsDetails(request)) return answerHidden;
    const seconds = Number(headerOf(request, 'x-prometheus-scrape-timeout-seconds'));
    // Prometheus says how long it waits: an answer with the last values is better than none.
    const limit = seconds > 0 && seconds < 3600 ? seconds * 800 : defaultScrapeTimeout;
    if (registry !== undefined) return answerRegistry(registry, limit);
    await update(limit);
    return text(200, contentType, write(families));
  };
  const leaveRegistry = registry && addToRegistry(registry, families, () => update(defaultScrapeTimeout));
  return {
    routes: path === undefined ? [] : [{ path, name: 'the metrics', answer }],
    close: () => leaveRegistry?.(),
  };
}

/** All metrics of a registry, ours included. */
async function answerRegistry(registry: MetricsRegistry, limit: number): Promise<Answer> {
  const body = await within(registry.metrics(), limit, undefined);
  if (typeof body !== 'string') throw new Error(`The registry did not answer within ${limit} ms`);
  return text(200, registry.contentType, body);
}

/** Adds the families to a registry of `prom-client`, all or none; returns a function that removes them. Throws if a name is taken. */
function addToRegistry(
  registry: MetricsRegistry,
  families: readonly Family[],
  update: () => Promise<void>,
): () => void {
  for (const { name } of families) if (registry.getSingleMetric(name) !== undefined) throw metricTaken(name);
  const added = families.map((family) => {
    const { name, help, type } = family;
    const aggregator = clusterAggregator(name);
    const metric = {
      // The registry changes it when it writes OpenMetrics, which names counters without their suffix.
      name,
      help,
      type,
      aggregator,
      async get() {
        await update();
        return { name: metric.name, help, type, aggregator, values: registryValues(family) };
      },
      reset() {},
    };
    Reflect.apply(Reflect.get(registry, 'registerMetric'), registry, [metric]);
    return metric;
  });
  const names = families.map(({ name }) => name);
  return () => {
    for (const [index, name] of names.entries()) {
      if (registry.getSingleMetric(name) === added[index]) registry.removeSingleMetric(name);
    }
  };
}

function registryValues({ name, collect }: Family): readonly object[] {
  const values: object[] = [];
  collect((value, { pairs }, suffix, le) => {
    const labels = le === undefined ? pairs : { ...pairs, le: le === Infinity ? '+Inf' : le };
    values.push({ value, labels, ...(suffix !== undefined && { metricName: `${name}${suffix}` }) });
  });
  return values;
}

/** How the values of the processes of a cluster become one. */
function clusterAggregator(name: string): 'sum' | 'min' | 'max' {
  if (/_total$|duration/.test(name)) return 'sum';
  return /_up$|expiry/.test(name) ? 'min' : 'max';
}
