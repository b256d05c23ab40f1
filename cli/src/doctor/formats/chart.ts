import { at, type Tree } from '../tree.js';
import type { Workload } from '../workload.js';
import { workloadOf } from './kubernetes.js';
import { roles } from './kubernetes-probes.js';

const deepest = 6;

/** The containers in the values of a Helm chart: each mapping with a probe. The chart may add missing parts. */
export function chartWorkloads(
  values: Tree,
  file: string,
  path: readonly string[] = [],
): readonly Workload[] {
  const has = roles.some((role) => at(values, `${role}Probe`)?.entries().length);
  const name = path.length === 0 ? 'values of the chart' : `values ${path.join('.')}`;
  const own = has ? [{ ...workloadOf(values, undefined, false, 'Values'), file, name, open: true }] : [];
  if (path.length >= deepest) return own;
  const below = values.entries().flatMap(([key, value]) => chartWorkloads(value, file, [...path, key]));
  return [...own, ...below];
}
