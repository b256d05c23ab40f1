import type { FeatureHost } from '../core/feature.js';
import type { Family } from '../metrics/family.js';
import { Runtime } from '../metrics/runtime/index.js';
import type { BatchResult, Meter } from './meter.js';

/** An instrument, and how it is observed. */
export interface Observed {
  readonly instrument: object;
  readonly observe: (result: BatchResult) => void;
}

const delayOf = (name: string) => [`nodejs_eventloop_lag_${name}_seconds`, `nodejs.eventloop.delay.${name}`];

/** By the names that Prometheus has for them, those of OpenTelemetry's conventions: the units are seconds and shares. */
const gauges: Readonly<Record<string, string>> = Object.fromEntries([
  ['nodejs_eventloop_utilization', 'nodejs.eventloop.utilization'],
  ...['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(delayOf),
]);

const bySpace = [
  ['v8js.memory.heap.used', 'Heap memory in use.'],
  ['v8js.memory.heap.space.size', 'Heap memory that is allocated.'],
] as const;

/** The load of the process under the names of OpenTelemetry's conventions. Measurements of its own instrumentations are left to them. */
export class RuntimeInstruments {
  #gc: ReturnType<Meter['createHistogram']> | undefined;
  #provider: object = {};
  readonly #runtime = new Runtime((kind, seconds) => this.#onCollection(kind, seconds));
  readonly #onError: FeatureHost<never>['onError'];

  constructor(onError: FeatureHost<never>['onError']) {
    this.#onError = onError;
  }

  /** The families that are lifesign's own. */
  get families(): readonly Family[] {
    return this.#runtime.families;
  }

  make(meter: Meter, provider: object): readonly Observed[] {
    this.#provider = provider;
    this.#gc = meter.createHistogram('v8js.gc.duration', {
      description: 'Garbage collection duration.',
      unit: 's',
      advice: { explicitBucketBoundaries: [0.01, 0.1, 1, 10] },
    });
    const unlessMeasured = (scope: string, observe: Observed['observe']) => (result: BatchResult) => {
      if (!isMeasured(provider, scope)) observe(result);
    };
    const loop = this.families.flatMap((family): Observed[] => {
      const { name, help: description, unit } = family;
      const convention = gauges[name];
      if (convention === undefined) return [];
      const instrument = meter.createObservableGauge(convention, { description, unit: unit ? 's' : '1' });
      return [
        {
          instrument,
          observe: unlessMeasured(
            runtimeNode,
            observing((emit) => family.collect(emit), instrument),
          ),
        },
      ];
    });
    const spaces = bySpace.map(([name, description], index): Observed => {
      const instrument = meter.createObservableUpDownCounter(name, { description, unit: 'By' });
      const observe = (result: BatchResult) =>
        this.#runtime.collectSpaces((used, size, space) =>
          result.observe(instrument, index === 0 ? used : size, { 'v8js.heap.space.name': space }),
        );
      return { instrument, observe: unlessMeasured(runtimeNode, observe) };
    });
    return [...loop, ...spaces, this.#resident(meter, unlessMeasured)];
  }

  leave(): void {
    this.#gc = undefined;
  }

  release(): void {
    this.#runtime.release();
  }

  /** Node calls this from an observer, in which an error would end the process; one that throws is not called again. */
  #onCollection(kind: string, seconds: number): void {
    try {
      if (!isMeasured(this.#provider, runtimeNode)) this.#gc?.record(seconds, { 'v8js.gc.type': kind });
    } catch (thrown) {
      this.#gc = undefined;
      this.#onError('The duration of a garbage collection cannot be recorded', thrown);
    }
  }

  #resident(
    meter: Meter,
    unlessMeasured: (scope: string, observe: Observed['observe']) => Observed['observe'],
  ): Observed {
    const description = 'The amount of physical memory in use.';
    const instrument = meter.createObservableUpDownCounter('process.memory.usage', {
      description,
      unit: 'By',
    });
    const rss = this.families.find(({ name }) => name === 'process_resident_memory_bytes');
    const observe = observing((emit) => rss?.collect(emit), instrument);
    return { instrument, observe: unlessMeasured('@opentelemetry/host-metrics', observe) };
  }
}

const runtimeNode = '@opentelemetry/instrumentation-runtime-node';

function observing(collect: Family['collect'], instrument: object): Observed['observe'] {
  return (result) => collect((value) => result.observe(instrument, value, {}));
}

/** Whether a meter of that name exists: only the SDK knows, which keeps its meters by name, version and schema. */
function isMeasured(provider: object, scope: string): boolean {
  const meters: unknown = Reflect.get(Object(Reflect.get(provider, '_sharedState')), 'meterSharedStates');
  if (!(meters instanceof Map)) return false;
  for (const key of meters.keys()) if (String(key).startsWith(`${scope}:`)) return true;
  return false;
}
