import { within } from '../core/deadlines.js';
import { type Answer, json, text, type Route } from '../core/endpoints.js';
import type { Feature, FeatureHost } from '../core/feature.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import type { MetricsRegistry, ResolvedMetrics } from '../core/options/metrics.js';
import { headerOf } from '../core/request/request.js';
import { contentType, write } from './exposition.js';
import { Series } from './families.js';
import { addToRegistry } from './registry.js';

/** For callers that may not see details: an operator reads it as the state of a target in Prometheus. */
const answerHidden: Answer = json(403, '{"error":"the metrics are hidden by the details option"}');
const answerBroken: Answer = json(500, '{"error":"the metrics failed"}');

/** Milliseconds that a scrape waits for a heartbeat if it does not say how long it will wait: less than Prometheus does. */
const defaultScrapeTimeout = 8000;

/** The feature of the metrics: answers scrapes and receives events. */
export class MetricsFeature<Request> implements Feature<Request> {
  readonly routes: readonly Route<Request>[];
  readonly #host: FeatureHost<Request>;
  readonly #options: ResolvedMetrics;
  readonly #series: Series;
  readonly #leaveRegistry: (() => void) | undefined;

  constructor(host: FeatureHost<Request>, options: ResolvedMetrics) {
    const { path, registry } = options;
    this.#host = host;
    this.#options = options;
    this.#series = new Series(host);
    this.routes =
      path === undefined ? [] : [{ path, name: 'the metrics', answer: (request) => this.#answer(request) }];
    const update = () => this.#update(defaultScrapeTimeout);
    this.#leaveRegistry = registry && addToRegistry(registry, this.#series.families, update);
  }

  onHeartbeat(heartbeat: Heartbeat): void {
    this.#series.heartbeats.record(heartbeat);
  }

  onGroupHeartbeat(heartbeat: Heartbeat): void {
    this.#series.heartbeats.recordChecks(heartbeat);
  }

  onVerdict(change: VerdictChange): void {
    this.#series.recordVerdict(change);
  }

  close(): void {
    this.#leaveRegistry?.();
  }

  /** Never rejects. */
  async #answer(request: Request): Promise<Answer> {
    if (!this.#host.showsDetails(request)) return answerHidden;
    const seconds = Number(headerOf(request, 'x-prometheus-scrape-timeout-seconds'));
    // Prometheus says how long it waits: an answer with the present values is better than none.
    const limit = seconds > 0 && seconds < 3600 ? seconds * 800 : defaultScrapeTimeout;
    const { registry } = this.#options;
    try {
      if (registry !== undefined) return await answerRegistry(registry, limit);
      await this.#update(limit);
      return text(200, contentType, write(this.#series.families));
    } catch (thrown) {
      this.#host.onError('The metrics failed', thrown);
      return answerBroken;
    }
  }

  async #update(limit: number): Promise<void> {
    const { heartbeats, build } = this.#series;
    // The heartbeat is reported to us when it ends; a scrape that cannot wait gets the last known values.
    if (heartbeats.age > (this.#options.refresh ?? Infinity)) {
      await within(this.#host.heartbeat(), limit, undefined);
    }
    await build.read();
  }
}

/** All that a registry has, ours included, as it writes it. */
async function answerRegistry(registry: MetricsRegistry, limit: number): Promise<Answer> {
  const body = await within(registry.metrics(), limit, undefined);
  if (typeof body !== 'string') throw new Error(`The registry did not answer within ${limit} ms`);
  return text(200, registry.contentType, body);
}
