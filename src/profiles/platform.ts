// The parts of a Health that edge workers do not have: in their build platform.edge.ts replaces this file.
import type { Feature, FeatureHost } from '../core/feature.js';
import type { HealthCore } from '../core/health.js';
import { mayTrace } from '../core/request/request.js';
import { metricsFeature } from '../metrics/feature.js';
import { Series } from '../metrics/series.js';
import { otelFeature } from '../otel/feature.js';
import { silenceFirstProbe } from '../otel/first-probe.js';
import { pageFeature } from '../page/feature.js';
import { Probes } from '../probes/feature.js';
import { scheduleFeature } from '../schedule.js';

export { registerBuiltIns } from '../checks/built-in.js';
export { startWatchdog } from '../watchdog/index.js';

/** The features that the options, or OpenTelemetry in the process, turn on. */
export function openFeatures<Request>(host: FeatureHost<Request>): Feature<Request>[] {
  const { metrics, otel, page, probes } = host.options;
  // Checks that are registered later may need a schedule.
  const features: Feature<Request>[] = [scheduleFeature(host)];
  if (page) features.push(pageFeature(host, page));
  if (probes) features.push(new Probes(host, probes));
  if (metrics || otel) {
    const series = new Series(host);
    features.push(series);
    if (metrics) features.push(metricsFeature(host, metrics, series));
    if (otel) features.push(otelFeature(host, series));
  }
  if (mayTrace()) features.push(silenceFirstProbe());
  return features;
}

/**
 * The option `drain`: on a signal the servers of the Health are drained, `onShutdown` runs, and the process ends. The code is loaded now: a
 * server that only its first request shows is drained from that request on.
 */
export function drainServers(health: HealthCore<never>, onShutdown: readonly (() => unknown)[] = []): void {
  if (health.options.drain === undefined) return;
  const loading = import('../http/drain/first.js').catch((error: unknown) => {
    health.logError('The option drain has no effect: its code cannot be loaded', error);
  });
  health.onServer = (server) =>
    void loading.then((drain) => drain?.drainByOption(server, health, onShutdown));
}
