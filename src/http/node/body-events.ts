import { currentRequest, runInRequest } from '../../core/request/request.js';
import { exchangeOf } from './exchange.js';
import type { NodeRequest } from './request.js';

/**
 * Has the events of a request come inside its context: those of its body, and so all that busboy and the like make of
 * them, come from the parser, which knows of none.
 */
export function keepContext(req: NodeRequest): void {
  if (exchangeOf(req)?.context.everywhere !== true || Object.hasOwn(req, 'emit')) return;
  // One function for all: a request costs no closure.
  Reflect.set(req, 'emit', emitInContext);
}

function emitInContext(this: NodeRequest, event: string | symbol, ...args: readonly unknown[]): unknown {
  const emit = () => Reflect.apply(Reflect.get(Object.getPrototypeOf(this), 'emit'), this, [event, ...args]);
  const context = exchangeOf(this)?.context;
  // Most events have no listener.
  if (context === undefined || this.listenerCount(event) === 0 || currentRequest() === context) return emit();
  return runInRequest(context, emit);
}
