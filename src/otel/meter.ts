import { registered } from '../core/request/trace.js';
import { isObject } from '../core/objects.js';
import type { Attributes } from './identity.js';

interface InstrumentOptions {
  readonly description: string;
  readonly unit: string;
  readonly advice?: { readonly explicitBucketBoundaries: readonly number[] };
}

/** Receives observed values. */
interface BatchResult {
  observe(instrument: object, value: number, attributes: Attributes): void;
}

export type BatchCallback = (result: BatchResult) => Promise<void>;

/** The part of a Meter of `@opentelemetry/api` that is used; the package is never imported. */
export interface Meter {
  createObservableGauge(name: string, options: InstrumentOptions): object;
  createObservableCounter(name: string, options: InstrumentOptions): object;
  createHistogram(
    name: string,
    options: InstrumentOptions,
  ): { record(value: number, attributes: Attributes): void };
  addBatchObservableCallback(callback: BatchCallback, instruments: readonly object[]): void;
  removeBatchObservableCallback(callback: BatchCallback, instruments: readonly object[]): void;
}

interface MeterProvider {
  getMeter(name: string): unknown;
}

/** The MeterProvider of the process; undefined until one is registered. */
export function globalMeterProvider(): MeterProvider | undefined {
  const provider: unknown = Reflect.get(Object(registered()), 'metrics');
  return has<MeterProvider>(provider, 'getMeter') ? provider : undefined;
}

/** The meter of lifesign. Throws if a provider returns something else. */
export function meterOf(provider: MeterProvider): Meter {
  const meter = provider.getMeter('lifesign');
  if (has<Meter>(meter, ...methods)) return meter;
  throw new TypeError(`The meter of the global MeterProvider lacks one of ${methods.join(', ')}`);
}

const methods = [
  'createObservableGauge',
  'createObservableCounter',
  'createHistogram',
  'addBatchObservableCallback',
  'removeBatchObservableCallback',
] as const;

function has<T extends object>(value: unknown, ...names: readonly (keyof T & string)[]): value is T {
  return isObject(value) && names.every((name) => typeof Reflect.get(value, name) === 'function');
}
