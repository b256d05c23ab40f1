import type { Feature, FeatureHost } from '../core/feature.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import { levels } from '../core/heartbeat/messages.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import { registered } from '../core/request/request.js';
import { timersEndWithRequest } from '../core/runtime.js';
import { bounds, isRun, Series } from '../metrics/series.js';
import { type Attributes, identityOf } from './identity.js';

/** Milliseconds between two tries to find a MeterProvider, and how many there are before the log says that there is none. */
const retryEvery = 1000;
const maxTries = 10;

const attributeOf: Readonly<Record<string, string>> = {
  check: 'lifesign.check.name',
  status: 'lifesign.status',
  id: 'lifesign.message.id',
  probe: 'lifesign.probe.name',
  build: 'cicd.pipeline.run.url.full',
};

/** The series as instruments of the MeterProvider that is registered at the time: it may come later than the Health. */
export class OtelFeature<Request> implements Feature<Request> {
  readonly #host: FeatureHost<Request>;
  readonly #series: Series;
  #provider: MeterProvider | undefined;
  #duration: ReturnType<Meter['createHistogram']> | undefined;
  #detach: (() => void) | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  constructor(host: FeatureHost<Request>) {
    this.#host = host;
    this.#series = new Series(host);
    this.#attach();
    if (this.#provider === undefined && !timersEndWithRequest) this.#awaitProvider();
  }

  onHeartbeat(heartbeat: Heartbeat): void {
    this.#series.recordHeartbeat(heartbeat);
    this.#recordDurations(heartbeat);
  }

  onGroupHeartbeat(heartbeat: Heartbeat): void {
    this.#series.recordChecks(heartbeat);
    this.#recordDurations(heartbeat);
  }

  onVerdict(change: VerdictChange): void {
    this.#series.recordVerdict(change);
  }

  onStarted(): void {
    this.#attach();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#leave();
  }

  /** Creates the instruments, if there is a provider that they were not created from. */
  #attach(): void {
    if (this.#closed) return;
    try {
      const provider = globalMeterProvider();
      if (provider === undefined || provider === this.#provider) return;
      this.#leave();
      // First: one that throws is not asked again.
      this.#provider = provider;
      this.#make(provider.getMeter('lifesign'));
    } catch (thrown) {
      this.#host.onError('The OpenTelemetry instruments cannot be created', thrown);
    }
  }

  #make(meter: Meter): void {
    const { families } = this.#series;
    const observed = families.flatMap(({ help: description, type, otel: [name, unit], collect }) => {
      const options = { description, unit };
      if (type === 'histogram') {
        this.#duration = meter.createHistogram(name, {
          ...options,
          advice: { explicitBucketBoundaries: bounds },
        });
        return [];
      }
      const instrument =
        type === 'counter'
          ? meter.createObservableCounter(name, options)
          : meter.createObservableGauge(name, options);
      return [{ instrument, collect }];
    });
    const instruments = observed.map(({ instrument }) => instrument);
    const callback: BatchCallback = async (result) => {
      await this.#series.readBuild();
      for (const { instrument, collect } of observed) {
        collect((value, { pairs }) => result.observe(instrument, value, attributesOf(pairs)));
      }
    };
    meter.addBatchObservableCallback(callback, instruments);
    this.#detach = () => meter.removeBatchObservableCallback(callback, instruments);
  }

  #leave(): void {
    const detach = this.#detach;
    this.#detach = undefined;
    this.#duration = undefined;
    try {
      detach?.();
    } catch (thrown) {
      this.#host.onError('The OpenTelemetry instruments cannot be removed', thrown);
    }
  }

  #recordDurations({ results }: Heartbeat): void {
    this.#attach();
    const names = new Set(this.#host.checks().map(({ name }) => name));
    for (const result of results) {
      if (!isRun(result) || !names.has(result.name)) continue;
      try {
        this.#duration?.record(result.duration / 1000, attributesOf({ check: result.name }));
      } catch (thrown) {
        this.#host.onError('The duration of a check cannot be recorded', thrown);
      }
    }
  }

  /** The SDK may be started after the Health is made: looks for it a while, then says that there is none. */
  #awaitProvider(): void {
    let tries = 0;
    this.#timer = setInterval(() => {
      this.#attach();
      tries += 1;
      if (this.#provider === undefined && tries < maxTries) return;
      clearInterval(this.#timer);
      if (this.#provider === undefined) this.#logMissing();
    }, retryEvery);
    this.#timer.unref?.();
  }

  #logMissing(): void {
    const msg =
      'The otel option is on, but no OpenTelemetry MeterProvider is registered, so nothing is exported. ' +
      'Start the SDK with a metric reader, or call metrics.setGlobalMeterProvider(provider).';
    this.#host.log({ logger: 'health', level: levels.warning, time: Date.now(), fields: {}, msg });
  }
}

/** Labels as attributes. Those of the build have the names of the resource; one that is empty has no attribute. */
function attributesOf(labels: Attributes): Attributes {
  const attributes: Record<string, string> = 'commit' in labels ? { ...identityOf(labels) } : {};
  for (const [label, value] of Object.entries(labels)) {
    const name = attributeOf[label];
    if (name !== undefined && value !== '') attributes[name] = value;
  }
  return attributes;
}

interface InstrumentOptions {
  readonly description: string;
  readonly unit: string;
  readonly advice?: { readonly explicitBucketBoundaries: readonly number[] };
}

/** Receives observed values. */
interface BatchResult {
  observe(instrument: object, value: number, attributes: Attributes): void;
}

type BatchCallback = (result: BatchResult) => Promise<void>;

/** The part of a Meter of `@opentelemetry/api` that is used; the package is never imported. */
interface Meter {
  createObservableGauge(name: string, options: InstrumentOptions): object;
  createObservableCounter(name: string, options: InstrumentOptions): object;
  createHistogram(
    name: string,
    options: InstrumentOptions,
  ): { record(value: number, attributes: Attributes): void };
  addBatchObservableCallback(callback: BatchCallback, instruments: readonly object[]): void;
  removeBatchObservableCallback(callback: BatchCallback, instruments: readonly object[]): void;
}

/** The MeterProvider of the process; undefined until one is registered. */
interface MeterProvider {
  getMeter(name: string): Meter;
}

function globalMeterProvider(): MeterProvider | undefined {
  const provider: object = registered()?.metrics ?? {};
  return 'getMeter' in provider && typeof provider.getMeter === 'function'
    ? // oxlint-disable-next-line typescript/consistent-type-assertions -- its package is not imported; what it makes is used in a `try`
      (provider as MeterProvider)
    : undefined;
}
