import { onTestFinished } from 'vitest';

/** What the API of OpenTelemetry keeps on the global object: written out here, since the API is never imported. */
const api = Symbol.for('opentelemetry.js.api.1');
export const spanKey = Symbol.for('OpenTelemetry Context Key SPAN');
export const serverKey = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA');

export const traceId = '0af7651916cd43dd8448eb211c80319c';
export const spanId = 'b7ad6b7169203331';
export const ids = { trace_id: traceId, span_id: spanId };

/** Puts anything where the API is found, until the test ends. */
export function register(registered: unknown): void {
  onTestFinished(() => void Reflect.deleteProperty(globalThis, api));
  Reflect.deleteProperty(globalThis, api);
  Object.defineProperty(globalThis, api, { value: registered, configurable: true });
}

export function spanOf(trace: unknown, span: unknown): object {
  return { spanContext: () => ({ traceId: trace, spanId: span, traceFlags: 1 }) };
}

/** A context manager that keeps its context in a variable. */
export function registerContexts(): { run<T>(values: Readonly<Record<symbol, unknown>>, next: () => T): T } {
  const contextOf = (values: Map<symbol, unknown>): object => ({
    getValue: (key: symbol) => values.get(key),
    setValue: (key: symbol, value: unknown) => contextOf(new Map([...values, [key, value]])),
    deleteValue: (key: symbol) => contextOf(new Map([...values].filter(([name]) => name !== key))),
  });
  let active = contextOf(new Map());
  const manager = {
    active: () => active,
    with<T>(context: object, next: () => T): T {
      const before = active;
      active = context;
      try {
        return next();
      } finally {
        active = before;
      }
    },
  };
  register({ version: '1.9.0', context: manager });
  return {
    run(values, next) {
      const symbols = Object.getOwnPropertySymbols(values);
      return manager.with(contextOf(new Map(symbols.map((key) => [key, values[key]]))), next);
    },
  };
}

/** Runs `next` where a span is active. */
export function inSpan<T>(next: () => T, trace: unknown = traceId, span: unknown = spanId): T {
  return registerContexts().run({ [spanKey]: spanOf(trace, span) }, next);
}
