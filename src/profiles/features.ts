import type { Feature, FeatureHost } from '../core/feature.js';
import { mayTrace } from '../core/request/trace.js';
import { openSchedule } from '../schedule/feature.js';
import { loadFeatures } from './load.js';

/** The features that the options, or OpenTelemetry in the process, turn on: an application without any loads none of their code. */
export function openFeatures<Request>(host: FeatureHost<Request>): Feature<Request>[] {
  const { metrics, otel, page, probes } = host.options;
  // Checks that are registered later may ask for it.
  const schedule = openSchedule(host, () => import('../schedule/index.js'));
  const others = metrics || otel || page || probes || mayTrace();
  return [schedule, ...(others ? loadFeatures().openFeatures(host) : [])];
}
