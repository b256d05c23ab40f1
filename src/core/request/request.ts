import { AsyncStorage, attempt, shared } from '../runtime.js';
import { isObject } from '../objects.js';

export class RequestContext {
  /** When it came, on the clock of `performance.now()`. */
  readonly started: number = performance.now();
  /** When it ended, on the same clock. */
  ended = 0;
  /** The same in milliseconds since 1970. */
  endedAt = 0;
  /** Whether it is for a path of lifesign; undefined until it has been matched. */
  isHealthRequest: boolean | undefined;
  /** The span of the server for it, or the span that was active when it came. */
  trace: TraceIds | undefined;
  error: unknown;
  /** The framework's own request, once it exists: it is passed to the functions in the options. */
  request: unknown;
  /** Returns its user, if the framework does not keep it on the request itself; gets that request. */
  user: ((request: never) => unknown) | undefined;
  /** Whether code below the request can read it: the option `requestContext`. */
  readonly propagated: boolean;
  readonly #source: { readonly givenId: string | undefined } | undefined;
  #id: string | undefined;

  /** `source` has the id that it came with, which is read when it is first needed. */
  constructor(source: { readonly givenId: string | undefined } | undefined, propagated = true) {
    this.#source = source;
    this.propagated = propagated;
  }

  /** Remembers the framework's own request and its user; the outermost application wins. */
  note(request: object, user?: (request: never) => unknown): void {
    this.request ??= request;
    this.user ??= user;
  }

  noteError(error: unknown): void {
    this.error = error;
  }

  /** Remembers which trace it belongs to. Called inside the framework: before it there may be no span, or the span of `listen()`. */
  noteTrace(): void {
    if (mayTrace()) this.trace = serverTrace() ?? this.trace ?? activeTrace();
  }

  /** Ends the request, unless it has ended already. `origin`: 0 on the clock of `performance.now()`, if a caller with several requests knows it. */
  end(origin?: number): void {
    if (this.endedAt !== 0) return;
    if (this.ended === 0) this.ended = performance.now();
    this.endedAt = origin === undefined ? Date.now() : Math.round(origin + this.ended);
  }

  get givenId(): string | undefined {
    return this.#source?.givenId;
  }

  /** The request's id: the one it came with, or a new one, created when it is first read. */
  get id(): string {
    if (this.#id === undefined) {
      // Values of a header that came twice are joined with a comma and a space, which no id may have.
      const given = this.givenId?.split(', ', 1)[0];
      this.#id = isUsableId(given) ? given : crypto.randomUUID();
    }
    return this.#id;
  }
}

/** One to 200 visible ASCII characters; anything else could forge a log line or flood it. */
function isUsableId(id: string | undefined): id is string {
  return id !== undefined && /^[\x21-\x7e]{1,200}$/.test(id);
}

const Storage = AsyncStorage;
const storage =
  Storage && /* @__PURE__ */ shared('requests', () => new Storage<RequestContext | undefined>());

/** Runs `next` so that everything below it belongs to the request. @internal */
export function runInRequest<T, Args extends readonly unknown[]>(
  context: RequestContext,
  next: (...args: Args) => T,
  ...args: Args
): T {
  return storage === undefined || !context.propagated ? next(...args) : storage.run(context, next, ...args);
}

/** Runs `next` outside of any request: work that outlives the request that caused it must not carry its id or its trace. @internal */
export function outsideRequest(next: () => void): void {
  if (storage === undefined) outsideSpan(next);
  else storage.run(undefined, outsideSpan, next);
}

/** The request that the current code runs for; undefined outside of one and on runtimes without async context. @internal */
export function currentRequest(): RequestContext | undefined {
  return storage?.getStore();
}

/**
 * The id of the current request.
 *
 * @example console.log(`charging card, request ${requestId()}`);
 */
export function requestId(): string | undefined {
  return currentRequest()?.id;
}

/** A header of a framework's request: a Request, or one of Node. Its name is in small letters. */
export function headerOf(request: unknown, name: string): string {
  if (!isObject(request) || !('headers' in request)) return '';
  const { headers } = request;
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const value: unknown = isObject(headers) ? Reflect.get(headers, name) : '';
  return typeof value === 'string' ? value : '';
}

/** The part of an HTTP/2 response that says whether it has ended, and whether the client is still connected. */
interface StreamResponse {
  readonly writableEnded: boolean;
  readonly stream?: { readonly destroyed?: boolean; once?(event: string, listener: () => void): unknown };
  readonly req?: unknown;
}

/** Called with each request over HTTP/2 that reaches a Health: Node publishes them on no channel, unlike those over HTTP/1. */
export const streamListeners: Set<(message: { readonly response: StreamResponse }) => void> =
  /* @__PURE__ */ shared('streams', () => new Set());

export function noteStream(response: StreamResponse): void {
  if (response.stream === undefined) return;
  for (const listener of streamListeners) listener({ response });
}

/** The ids of a span, as fields of a log record. */
export interface TraceIds {
  readonly trace_id: string;
  readonly span_id: string;
}

/** The registrations of OpenTelemetry's API, as far as they are used. */
interface Registered {
  readonly context?: {
    active?(): Context | undefined;
    with?(context: Context, next: () => void): void;
  };
  readonly metrics?: unknown;
}

interface Context {
  getValue?(key: symbol): (Span & { readonly span?: Span }) | undefined;
  deleteValue?(key: symbol): Context;
}

interface Span {
  spanContext?(): { readonly traceId?: unknown; readonly spanId?: unknown };
}

// The global that all copies of @opentelemetry/api 1.x and the SDK share. It is read here and never imported.
const api = Symbol.for('opentelemetry.js.api.1');
// A plain property: each request reads it, and `Reflect.get` takes ten times as long.
const globals: object & { readonly [api]?: Registered } = globalThis;
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN');
/** The symbol under which the instrumentation of HTTP servers keeps the span of the request, also while spans inside of it are active. */
const serverKey = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA');

export const registered = (): Registered | undefined => globals[api];

export const mayTrace = (): boolean => isObject(globals[api]);

const activeContext = () => globals[api]?.context?.active?.();

/** The ids of the active span; undefined without one, or without OpenTelemetry. */
export function activeTrace(): TraceIds | undefined {
  return mayTrace() ? attempt(() => idsOf(activeContext()?.getValue?.(spanKey))) : undefined;
}

/** The ids of the span of the server that the current code runs for, if an instrumentation says which that is. */
function serverTrace(): TraceIds | undefined {
  return mayTrace() ? attempt(() => idsOf(activeContext()?.getValue?.(serverKey)?.span)) : undefined;
}

/** Runs `next` without the active span: work that outlives it does not belong to its trace. */
function outsideSpan(next: () => void): void {
  const contexts = mayTrace() ? globals[api]?.context : undefined;
  const outside = attempt(() => activeContext()?.deleteValue?.(spanKey).deleteValue?.(serverKey));
  if (outside === undefined || contexts?.with === undefined) next();
  else contexts.with(outside, next);
}

/** The ids of a span, if they are valid: neither of the two is all zeros. */
function idsOf(span: Span | undefined): TraceIds | undefined {
  const { traceId, spanId } = span?.spanContext?.() ?? {};
  if (typeof traceId !== 'string' || typeof spanId !== 'string') return undefined;
  return /^(?!0+$)[\da-f]{32}$/.test(traceId) && /^(?!0+$)[\da-f]{16}$/.test(spanId)
    ? { trace_id: traceId, span_id: spanId }
    : undefined;
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
