import type { Answer } from '../core/endpoints.js';
import type { Feature, FeatureHost } from '../core/feature.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import { Lazy } from '../core/lazy.js';
import type { ResolvedMetrics } from '../core/options/metrics.js';
import { headerOf } from '../core/request/header.js';
import type { Route } from '../core/routes.js';
import { timersEndWithRequest } from '../core/runtime.js';
import { answerMetricsBroken, answerMetricsHidden } from './metrics-answers.js';
import type { Metrics } from './index.js';
import { addToRegistry, namesFor } from './registry.js';

/** Loads the series. */
type LoadMetrics = () => Promise<{ readonly Metrics: typeof Metrics }>;

/** The feature of the metrics: answers scrapes and receives events. */
export class MetricsFeature<Request> implements Feature<Request> {
  readonly routes: readonly Route<Request>[];
  readonly onRequest?: NonNullable<Feature<Request>['onRequest']>;
  readonly #metrics: Lazy<Metrics>;
  readonly #leaveRegistry: (() => void) | undefined;

  constructor(host: FeatureHost<Request>, options: ResolvedMetrics, load: LoadMetrics) {
    const { path, registry, requests } = options;
    const metrics = new Lazy(async () => new (await load()).Metrics(host, options));
    this.#metrics = metrics;
    const answer = (request: Request) =>
      host.showsDetails(request) ? this.#answer(request, host) : answerMetricsHidden;
    this.routes = path === undefined ? [] : [{ path, name: 'the metrics', answer }];
    if (requests) {
      this.onRequest = (context, summary) => {
        if (metrics.value !== undefined) metrics.value.requests.record(context, summary);
        else metrics.whenLoaded((series) => series.requests.record(context, summary));
      };
    }
    this.#leaveRegistry =
      registry &&
      addToRegistry(registry, namesFor(host.options), async (name) => (await metrics.load()).collect(name));
    // A worker may load nothing outside of a request.
    if (!timersEndWithRequest) metrics.whenLoaded(() => {});
  }

  onHeartbeat(heartbeat: Heartbeat): void {
    this.#metrics.whenLoaded((metrics) => metrics.heartbeats.record(heartbeat));
  }

  onGroupHeartbeat(heartbeat: Heartbeat): void {
    this.#metrics.whenLoaded((metrics) => metrics.heartbeats.recordChecks(heartbeat));
  }

  onVerdict(change: VerdictChange): void {
    this.#metrics.whenLoaded((metrics) => metrics.verdicts.record(change));
  }

  close(): void {
    this.#leaveRegistry?.();
    this.#metrics.whenLoaded((metrics) => metrics.close());
  }

  /** Never rejects. */
  async #answer(request: Request, host: FeatureHost<Request>): Promise<Answer> {
    try {
      const metrics = await this.#metrics.load();
      return await metrics.answer(headerOf(request, 'accept'), headerOf(request, scrapeTimeout));
    } catch (thrown) {
      host.onError('The metrics failed', thrown);
      return answerMetricsBroken;
    }
  }
}

const scrapeTimeout = 'x-prometheus-scrape-timeout-seconds';
