import { attempt } from '../runtime.js';
import { isObject } from '../objects.js';

/** The ids of a span, as fields of a log record. */
export interface TraceIds {
  readonly trace_id: string;
  readonly span_id: string;
}

// The global that all copies of @opentelemetry/api 1.x and the SDK share. It is read here and never imported.
const api = Symbol.for('opentelemetry.js.api.1');
// A plain property: each request looks here, and `Reflect.get` takes ten times as long.
const globals: object & { readonly [api]?: unknown } = globalThis;
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN');
/** The symbol under which the instrumentation of HTTP servers keeps the span of the request, whatever spans are inside of it. */
const serverKey = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA');

/** The ids of the active span; undefined without one, or without OpenTelemetry. */
export function activeTrace(): TraceIds | undefined {
  // One property of the global object is all that a process without OpenTelemetry pays.
  return mayTrace() ? attempt(() => idsOf(valueOf(activeContext(), spanKey))) : undefined;
}

/** The ids of the span of the server that the current code runs for, as far as an instrumentation says which that is. */
export function serverTrace(): TraceIds | undefined {
  if (!mayTrace()) return undefined;
  return attempt(() => idsOf(memberOf(valueOf(activeContext(), serverKey), 'span')));
}

/** Whether OpenTelemetry is in the process. */
export function mayTrace(): boolean {
  return isObject(registered());
}

/** Runs `next` without the active span: work that outlives it does not belong to its trace. */
export function outsideSpan(next: () => void): void {
  const outside = mayTrace() ? attempt(() => contextWithoutSpan()) : undefined;
  if (outside === undefined) next();
  else call(memberOf(registered(), 'context'), 'with', outside, next);
}

/** The API's registrations: `trace`, `context`, `metrics` and so on. */
export function registered(): unknown {
  return globals[api];
}

function activeContext(): unknown {
  return call(memberOf(registered(), 'context'), 'active');
}

/** The active context without its span; undefined if it has none. */
function contextWithoutSpan(): unknown {
  const context = activeContext();
  if (valueOf(context, spanKey) === undefined && valueOf(context, serverKey) === undefined) return undefined;
  return call(call(context, 'deleteValue', spanKey), 'deleteValue', serverKey);
}

function valueOf(context: unknown, key: symbol): unknown {
  return call(context, 'getValue', key);
}

/** Those of a span that has valid ones: neither of the two is all zeros. */
function idsOf(span: unknown): TraceIds | undefined {
  const context = call(span, 'spanContext');
  const trace = memberOf(context, 'traceId');
  const id = memberOf(context, 'spanId');
  if (typeof trace !== 'string' || typeof id !== 'string') return undefined;
  return /^(?!0+$)[\da-f]{32}$/.test(trace) && /^(?!0+$)[\da-f]{16}$/.test(id)
    ? { trace_id: trace, span_id: id }
    : undefined;
}

/** The result of a method; undefined if there is no such method. */
function call(target: unknown, name: string, ...args: readonly unknown[]): unknown {
  const method = memberOf(target, name);
  return typeof method === 'function' ? Reflect.apply(method, target, args) : undefined;
}

function memberOf(target: unknown, name: string): unknown {
  return isObject(target) ? Reflect.get(target, name) : undefined;
}

/**
 * A method below the wrappers that instrumentations put around it, as `shimmer` marks them: a request for an endpoint needs no span,
 * and no point in the metrics of a server.
 */
export function untraced<Method extends (...args: never) => unknown>(method: Method): Method {
  const { __wrapped: wrapped, __original: original }: Method & Wrapped<Method> = method;
  return wrapped === true && typeof original === 'function' && original !== method
    ? untraced(original)
    : method;
}

interface Wrapped<Method> {
  readonly __wrapped?: boolean;
  readonly __original?: Method;
}
