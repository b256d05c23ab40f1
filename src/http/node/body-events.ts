import { currentRequest, type RequestContext, runInRequest } from '../../core/request/request.js';
import { type Emit, type Exchange, exchangeOf } from './exchange.js';
import { isConnection } from './over.js';
import type { NodeRequest } from './request.js';

/**
 * Emits the events of a request inside its context: those of its body, and so everything that busboy and others make of
 * them, come from the parser, which knows no context. Most requests have no body and no listener, and are left as they are.
 */
export function keepContext(req: NodeRequest, exchange: Exchange): void {
  // Without a summary nothing says when it ends, and listeners may come until then.
  if (exchange.propagated && (!exchange.health.tracks || mayHaveBody(req))) replaceEmit(req, exchange);
}

/** The same for a request without a body that has listeners: called when its handler has returned, and when its client has left. */
export function keepListeners(req: NodeRequest, exchange: Exchange): void {
  if (exchange.propagated && exchange.emit === undefined && hasListeners(req)) replaceEmit(req, exchange);
}

/** Whether events may come from the parser later. Requests of HTTP/2 and of serverless platforms do not say. */
function mayHaveBody({ headers, httpVersionMajor, socket }: NodeRequest): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  return length !== '0' || encoding !== undefined || httpVersionMajor !== 1 || !isConnection(socket);
}

/** Whether the application listens to an event that such a request still has; `eventNames` takes longer than all the rest. */
function hasListeners(req: NodeRequest): boolean {
  const emitter: Emitter = req;
  const count = (countListeners ??= emitter.listenerCount);
  if (count.call(req, 'close') > 0 || count.call(req, 'end') > 0) return true;
  return count.call(req, 'readable') > 0 || count.call(req, 'error') > 0 || count.call(req, 'aborted') > 0;
}

function replaceEmit(req: NodeRequest, exchange: Exchange): void {
  if (Object.hasOwn(req, 'emit')) return;
  const emitter: Emitter = req;
  // Found now: after Express has changed the prototype of a request, looking for its methods takes microseconds.
  exchange.emit = emitter.emit;
  countListeners ??= emitter.listenerCount;
  // One function for all requests, and a plain assignment: `Reflect.set` takes ten times as long.
  emitter.emit = emitInContext;
}

type Event = readonly [name: string | symbol, ...unknown[]];

interface Emitter {
  emit: Emit;
  readonly listenerCount: (event: string | symbol) => number;
}

/** The same of all requests. */
let countListeners: Emitter['listenerCount'] | undefined;

function emitInContext(this: NodeRequest, ...args: Event): unknown {
  const exchange = exchangeOf(this);
  const emit = exchange?.emit ?? inheritedEmit(this);
  // Most events have no listener. V8 makes no list of arguments that are handed to another function as they came, so the rest is below.
  if (exchange === undefined || countListeners?.call(this, args[0]) === 0)
    return Reflect.apply(emit, this, args);
  return emitInside(exchange, this, emit, ...args);
}

function emitInside(context: RequestContext, req: NodeRequest, emit: Emit, ...args: Event): unknown {
  return currentRequest() === context
    ? Reflect.apply(emit, req, args)
    : runInRequest(context, Reflect.apply, emit, req, args);
}

function inheritedEmit(req: NodeRequest): Emit {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- `getPrototypeOf` returns any; keepContext was given a request, whose prototype has the method
  return (Object.getPrototypeOf(req) as Emitter).emit;
}
