import { within } from '../core/deadlines.js';
import { type Answer, text } from '../core/endpoints.js';
import type { MetricsRegistry, ResolvedMetrics } from '../core/options/metrics.js';
import { formatOf } from './accept.js';
import { BuildInfo } from './build-info.js';
import { HeartbeatSeries } from './check-series.js';
import { contentTypes, write } from './exposition.js';
import type { Family } from './family.js';
import { familiesOf, type MetricsSource } from './families.js';
import type { RegistryFamily } from './registry.js';
import { RequestSeries } from './request-series.js';
import { Runtime, utilizationInRegistry } from './runtime/index.js';
import { Verdicts } from './verdicts.js';

/** Milliseconds that a scrape waits for a heartbeat if it does not say how long it will wait: less than Prometheus does. */
const defaultScrapeTimeout = 8000;

/** The series of one Health. */
export class Metrics {
  readonly heartbeats: HeartbeatSeries;
  readonly requests = new RequestSeries();
  readonly verdicts: Verdicts;
  readonly #build: BuildInfo;
  readonly #host: MetricsSource;
  readonly #refresh: number;
  readonly #registry: MetricsRegistry | undefined;
  readonly #families: readonly Family[];
  readonly #runtime = new Runtime();

  constructor(host: MetricsSource, { refresh, registry }: ResolvedMetrics) {
    this.#host = host;
    this.#refresh = refresh ?? Infinity;
    this.#registry = registry;
    this.#build = new BuildInfo(host.version);
    this.heartbeats = new HeartbeatSeries(host);
    this.verdicts = new Verdicts(host.options.probes !== undefined, this.heartbeats.haveRun);
    const own = familiesOf(host, this.#build, this.heartbeats, this.requests, this.verdicts);
    this.#families = [...own, ...this.#runtime.families];
  }

  /** Stops measuring. */
  close(): void {
    this.#runtime.release();
  }

  /** The answer to a scrape. `accept` and `scrapeTimeout` are its headers. Rejects if a registry fails. */
  async answer(accept: string, scrapeTimeout: string): Promise<Answer> {
    const seconds = Number(scrapeTimeout);
    // Prometheus says how long it waits: an answer with the present values is better than none.
    const limit = seconds > 0 && seconds < 3600 ? seconds * 800 : defaultScrapeTimeout;
    if (this.#registry !== undefined) return answerRegistry(this.#registry, limit);
    await Promise.all([this.#update(limit), this.#runtime.update()]);
    const format = formatOf(accept);
    const families = this.#families.filter(({ name }) => name !== utilizationInRegistry);
    return text(200, contentTypes[format], write(families, format), {
      Vary: 'Accept, Accept-Encoding',
    });
  }

  /** One family, for a registry. */
  async collect(name: string): Promise<RegistryFamily> {
    await this.#update(defaultScrapeTimeout);
    const values: object[] = [];
    const family = this.#families.find((each) => each.name === name);
    family?.collect((value, { pairs }, suffix, le) => {
      const labels = le === undefined ? pairs : { ...pairs, le: le === Infinity ? '+Inf' : le };
      values.push({ value, labels, ...(suffix !== undefined && { metricName: `${name}${suffix}` }) });
    });
    const { help = '', type = 'gauge', aggregator = 'max' } = family ?? {};
    return { help, type: type === 'info' ? 'gauge' : type, aggregator, values };
  }

  async #update(limit: number): Promise<void> {
    // The heartbeat is reported to us when it ends; a scrape that cannot wait gets the last known values.
    if (this.heartbeats.age > this.#refresh) await within(this.#host.heartbeat(), limit, undefined);
    await this.#build.read();
  }
}

/** All that a registry has, ours included, as it writes it. */
async function answerRegistry(registry: MetricsRegistry, limit: number): Promise<Answer> {
  const body = await within(registry.metrics(), limit, undefined);
  if (typeof body !== 'string') throw new Error(`The registry did not answer within ${limit} ms`);
  return text(200, registry.contentType, body);
}
