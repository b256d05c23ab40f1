import type { RequestContext } from '../../core/request/request.js';
import { host } from '../../core/runtime.js';

/** The request whose handler has just thrown. */
let thrower: RequestContext | undefined;

/**
 * Continues with the application; an error that ends there uncaught is in the summary. It is not caught here: Node prints the line
 * of the last `throw`, and that must be the application's. Node passes the error to the monitor before anything else runs.
 */
export function callNext<Args extends readonly unknown[]>(
  context: RequestContext,
  next: (context: RequestContext, ...args: Args) => void,
  ...args: Args
): void {
  let returned = false;
  try {
    next(context, ...args);
    returned = true;
  } finally {
    if (!returned) expectError(context);
  }
}

function expectError(context: RequestContext): void {
  if (thrower === undefined) {
    host.on?.('uncaughtExceptionMonitor', noteUncaught);
    // Other code may have caught it.
    queueMicrotask(forget);
  }
  thrower = context;
}

function noteUncaught(error: unknown): void {
  if (thrower !== undefined) thrower.error = error;
  forget();
}

function forget(): void {
  thrower = undefined;
  host.removeListener?.('uncaughtExceptionMonitor', noteUncaught);
}
