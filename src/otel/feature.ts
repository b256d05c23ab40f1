import type { Feature, FeatureHost } from '../core/feature.js';
import { levels } from '../core/heartbeat/messages.js';
import { registered } from '../core/request/request.js';
import { bounds, type Series } from '../metrics/series.js';
import { type Attributes, resourceAttributes } from './identity.js';

/** Milliseconds after which the log says that there is no MeterProvider. */
const patience = 10_000;
const missing =
  'The otel option is on, but no OpenTelemetry MeterProvider is registered, so nothing is exported. ' +
  'Start the SDK with a metric reader, or call metrics.setGlobalMeterProvider(provider).';

const attributeNames: Readonly<Record<string, string>> = {
  check: 'lifesign.check.name',
  status: 'lifesign.status',
  id: 'lifesign.message.id',
  probe: 'lifesign.probe.name',
  build: 'cicd.pipeline.run.url.full',
};

/** The series as instruments of the MeterProvider that is registered at the time: it may come later than the Health, or change. */
export function otelFeature(host: FeatureHost<never>, series: Series): Feature<never> {
  let provider: MeterProvider | undefined;
  let instruments: Instruments | undefined;
  let closed = false;

  const guard = (problem: string, act: () => void): void => {
    try {
      act();
    } catch (thrown) {
      host.onError(problem, thrown);
    }
  };
  const leave = (): void => {
    const removed = instruments;
    instruments = undefined;
    guard('The OpenTelemetry instruments cannot be removed', () => removed?.remove());
  };
  /** Creates the instruments, if there is a provider that they were not created from. */
  const attach = (): void => {
    if (closed) return;
    guard('The OpenTelemetry instruments cannot be created', () => {
      const current = globalMeterProvider();
      if (current === undefined || current === provider) return;
      leave();
      // Set first: a provider that throws is not used again.
      provider = current;
      instruments = createInstruments(current.getMeter('lifesign'), series);
    });
  };
  /** The SDK may start after the Health is created. */
  const attachLater = (): void => {
    attach();
    if (provider !== undefined) return;
    host.log({ logger: 'health', level: levels.warning, time: Date.now(), fields: {}, msg: missing });
  };

  attach();
  const timer = setTimeout(attachLater, patience);
  timer.unref();
  series.onRun = (check, seconds) => {
    attach();
    guard('The duration of a check cannot be recorded', () =>
      instruments?.duration?.record(seconds, toAttributes({ check })),
    );
  };
  return {
    onHeartbeat: attach,
    onStarted: attach,
    close() {
      closed = true;
      clearTimeout(timer);
      leave();
    },
  };
}

interface Instruments {
  readonly duration: ReturnType<Meter['createHistogram']> | undefined;
  remove(): void;
}

function createInstruments(meter: Meter, series: Series): Instruments {
  let duration: Instruments['duration'];
  const observed = series.families.flatMap(({ help: description, type, otel: [name, unit], collect }) => {
    const options = { description, unit };
    if (type === 'histogram') {
      duration = meter.createHistogram(name, {
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
    await series.readBuild();
    for (const { instrument, collect } of observed) {
      collect((value, { pairs }) => result.observe(instrument, value, toAttributes(pairs)));
    }
  };
  meter.addBatchObservableCallback(callback, instruments);
  return { duration, remove: () => meter.removeBatchObservableCallback(callback, instruments) };
}

/** Labels as attributes. The build's labels have the names of the resource; one that is empty has no attribute. */
function toAttributes(labels: Attributes): Attributes {
  const attributes: Record<string, string> = 'commit' in labels ? { ...resourceAttributes(labels) } : {};
  for (const [label, value] of Object.entries(labels)) {
    const name = attributeNames[label];
    if (name !== undefined && value !== '') attributes[name] = value;
  }
  return attributes;
}

interface InstrumentOptions {
  readonly description: string;
  readonly unit: string;
  readonly advice?: { readonly explicitBucketBoundaries: readonly number[] };
}

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
