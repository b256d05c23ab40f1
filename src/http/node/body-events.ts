import { currentRequest, runInRequest } from '../../core/request/request.js';
import { type Exchange, exchangeOf } from './exchange.js';
import type { NodeRequest } from './request.js';

/**
 * Emits the events of a request inside its context: those of its body, and so everything that busboy and others make of
 * them, come from the parser, which knows no context.
 */
export function keepContext(req: NodeRequest, { context }: Exchange): void {
  if (!context.everywhere || Object.hasOwn(req, 'emit')) return;
  const emitter: { emit: unknown } = req;
  // One function for all requests, and a plain assignment: `Reflect.set` takes ten times as long.
  emitter.emit = emitInContext;
}

function emitInContext(this: NodeRequest, ...args: readonly [string | symbol, ...unknown[]]): unknown {
  const { emit }: { emit: () => unknown } = Object.getPrototypeOf(this);
  const context = exchangeOf(this)?.context;
  // Most events have no listener.
  if (context === undefined || this.listenerCount(args[0]) === 0 || currentRequest() === context)
    return Reflect.apply(emit, this, args);
  return runInRequest(context, Reflect.apply, emit, this, args);
}
