import type { MetricsRegistry } from '../core/options/metrics.js';
import { metricTaken } from './errors.js';
import type { Family } from './exposition.js';

/** Adds the families to a registry of `prom-client`, all or none; returns a function that removes them. Throws if a name is taken. */
export function addToRegistry(
  registry: MetricsRegistry,
  families: readonly Family[],
  update: () => Promise<void>,
): () => void {
  for (const { name } of families) if (registry.getSingleMetric(name) !== undefined) throw metricTaken(name);
  const added = families.map((family) => {
    const { name, help, type } = family;
    const aggregator = aggregatorOf(name);
    const metric = {
      // The registry changes it when it writes OpenMetrics, which names counters without their suffix.
      name,
      help,
      type,
      aggregator,
      async get() {
        await update();
        return { name: metric.name, help, type, aggregator, values: valuesOf(family) };
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

function valuesOf({ name, collect }: Family): readonly object[] {
  const values: object[] = [];
  collect((value, { pairs }, suffix, le) => {
    const labels = le === undefined ? pairs : { ...pairs, le: le === Infinity ? '+Inf' : le };
    values.push({ value, labels, ...(suffix !== undefined && { metricName: `${name}${suffix}` }) });
  });
  return values;
}

/** How the values of the processes of a cluster become one. */
function aggregatorOf(name: string): 'sum' | 'min' | 'max' {
  if (/_total$|duration/.test(name)) return 'sum';
  return /_up$|expiry/.test(name) ? 'min' : 'max';
}
