import { currentRequest, type RequestContext, runInRequest } from '../../core/request/request.js';
import { type Emit, type Exchange, exchangeOf } from './exchange.js';
import type { NodeRequest } from './request.js';

/**
 * Emits the events of a request inside its context: those of its body, and so everything that busboy and others make of
 * them, come from the parser, which knows no context.
 */
export function keepContext(req: NodeRequest, exchange: Exchange): void {
  if (!exchange.context.propagated || Object.hasOwn(req, 'emit')) return;
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
  return emitInside(exchange.context, this, emit, ...args);
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
