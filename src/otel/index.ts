import type { FeatureHost } from '../core/feature.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import { levels } from '../core/heartbeat/levels.js';
import { timersEndWithRequest } from '../core/runtime.js';
import { BuildInfo } from '../metrics/build-info.js';
import { bounds, HeartbeatSeries, isRun } from '../metrics/check-series.js';
import { familiesOf, type MetricsSource } from '../metrics/families.js';
import type { Family } from '../metrics/family.js';
import { RequestSeries } from '../metrics/request-series.js';
import { Verdicts } from '../metrics/verdicts.js';
import { type BatchCallback, type BatchResult, globalMeterProvider, type Meter, meterOf } from './meter.js';
import { attributesOf, instrumentOf } from './names.js';
import { type Observed, RuntimeInstruments } from './runtime.js';

/** How often a MeterProvider is looked for, and how many times before the log says that there is none. */
const lookEvery = 1000;
const maxLooks = 10;

type Source = MetricsSource & Pick<FeatureHost<never>, 'log' | 'onError'>;

/** The instruments of one Health, of the MeterProvider that is registered at the time: it may come later than the Health. */
export class Instruments {
  readonly verdicts: Verdicts;
  readonly #host: Source;
  readonly #build: BuildInfo;
  readonly #heartbeats: HeartbeatSeries;
  readonly #families: readonly Family[];
  readonly #runtime: RuntimeInstruments;
  #provider: object | undefined;
  #duration: ReturnType<Meter['createHistogram']> | undefined;
  #detach: (() => void) | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  constructor(host: Source) {
    this.#host = host;
    this.#build = new BuildInfo(host.version);
    this.#heartbeats = new HeartbeatSeries(host);
    this.#runtime = new RuntimeInstruments((message, thrown) => host.onError(message, thrown));
    this.verdicts = new Verdicts(host.options.probes !== undefined, this.#heartbeats.haveRun);
    this.#families = [
      ...familiesOf(host, this.#build, this.#heartbeats, new RequestSeries(), this.verdicts),
      ...this.#runtime.families,
    ];
    this.attach();
    if (this.#provider === undefined && !timersEndWithRequest) this.#look();
  }

  record(heartbeat: Heartbeat): void {
    this.#heartbeats.record(heartbeat);
    this.#recordDurations(heartbeat);
  }

  recordChecks(heartbeat: Heartbeat): void {
    this.#heartbeats.recordChecks(heartbeat);
    this.#recordDurations(heartbeat);
  }

  /** Creates the instruments, if there is a provider that they were not created from. */
  attach(): void {
    if (this.#closed) return;
    try {
      const provider = globalMeterProvider();
      if (provider === undefined || provider === this.#provider) return;
      this.#leave();
      // First: one that throws is not asked again.
      this.#provider = provider;
      this.#make(meterOf(provider), provider);
    } catch (thrown) {
      this.#host.onError('The OpenTelemetry instruments cannot be created', thrown);
    }
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#leave();
    this.#runtime.release();
  }

  #make(meter: Meter, provider: object): void {
    const observed: Observed[] = [...this.#runtime.make(meter, provider)];
    for (const family of this.#families) {
      const { help, type } = family;
      const named = instrumentOf[family.name];
      if (named === undefined) continue;
      const { name, unit, convert = (value: number) => value } = named;
      const options = { description: named.help ?? help, unit };
      if (type === 'histogram') {
        const advice = { explicitBucketBoundaries: bounds };
        this.#duration = meter.createHistogram(name, { ...options, advice });
      } else {
        const instrument =
          type === 'counter'
            ? meter.createObservableCounter(name, options)
            : unit === 'By'
              ? meter.createObservableUpDownCounter(name, options)
              : meter.createObservableGauge(name, options);
        const observe = (result: BatchResult) =>
          family.collect((value, { pairs }) =>
            result.observe(instrument, convert(value), attributesOf(pairs)),
          );
        observed.push({ instrument, observe });
      }
    }
    const instruments = observed.map(({ instrument }) => instrument);
    const callback: BatchCallback = async (result: BatchResult) => {
      await this.#build.read();
      for (const { observe } of observed) observe(result);
    };
    meter.addBatchObservableCallback(callback, instruments);
    this.#detach = () => meter.removeBatchObservableCallback(callback, instruments);
  }

  #leave(): void {
    const detach = this.#detach;
    this.#detach = undefined;
    this.#duration = undefined;
    this.#runtime.leave();
    try {
      detach?.();
    } catch (thrown) {
      this.#host.onError('The OpenTelemetry instruments cannot be removed', thrown);
    }
  }

  #recordDurations({ results }: Heartbeat): void {
    this.attach();
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
  #look(): void {
    let looks = 0;
    this.#timer = setInterval(() => {
      this.attach();
      looks += 1;
      if (this.#provider === undefined && looks < maxLooks) return;
      clearInterval(this.#timer);
      if (this.#provider === undefined) this.#logMissing();
    }, lookEvery);
    this.#timer.unref?.();
  }

  #logMissing(): void {
    const msg =
      'The otel option is on, but no OpenTelemetry MeterProvider is registered, so nothing is exported. ' +
      'Start the SDK with a metric reader, or call metrics.setGlobalMeterProvider(provider).';
    this.#host.log({ logger: 'health', level: levels.warning, time: Date.now(), fields: {}, msg });
  }
}
