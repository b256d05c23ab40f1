import type { Feature, FeatureHost } from '../core/feature.js';
import { mayTrace } from '../core/request/trace.js';
import { metricsFeature } from '../metrics/feature.js';
import { memoryFit } from '../metrics/memory-fit.js';
import { OtelFeature } from '../otel/feature.js';
import { silenceFirstProbe } from '../otel/first-probe.js';
import { pageFeature } from '../page/feature.js';
import { probesFeature } from '../probes/feature.js';
import { scheduleFeature } from '../schedule.js';

/** The features that the options, or OpenTelemetry in the process, turn on. */
export function openFeatures<Request>(host: FeatureHost<Request>): Feature<Request>[] {
  const { metrics, otel, page, probes } = host.options;
  // Checks that are registered later may ask for a schedule.
  const features: Feature<Request>[] = [scheduleFeature(host)];
  if (page) features.push(pageFeature(host, page));
  if (probes) features.push(probesFeature(host, probes));
  if (metrics) features.push(metricsFeature(host, metrics));
  if (otel) features.push(new OtelFeature(host));
  if (mayTrace()) features.push(silenceFirstProbe());
  if (metrics || otel || probes) features.push(memoryFit(host.log));
  return features;
}
