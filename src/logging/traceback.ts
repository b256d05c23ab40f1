import { isError } from '../core/objects.js';
import { cleanOf, describe } from '../core/scrub/scrub.js';

/** Texts up to this length are kept whole, for each error of a chain. */
const maxLength = 8192;
const deepest = 5;

/** An error with its stack and its causes, without secrets. Never throws. */
export function tracebackOf(error: unknown, logger: string): string {
  const parts: string[] = [];
  let cause = error;
  for (let depth = 0; cause !== undefined && depth < deepest; depth += 1) {
    parts.push(stackOf(cause));
    cause = causeOf(cause);
  }
  return withHeading(parts.join('\nCaused by: '), logger);
}

const ownLoggers = /^(?:health|health\.checks|request\.summary)$/;

/**
 * The traceback of a stack. Only our own loggers know that an error was thrown and not caught: an
 * error that the application hands to its logger was caught by the application.
 */
function withHeading(stack: string, logger: string): string {
  return ownLoggers.test(logger) ? `Uncaught exception:\n${stack}` : stack;
}

function stackOf(error: unknown): string {
  try {
    const stack: unknown = isError(error) ? error.stack : undefined;
    if (typeof stack !== 'string' || stack === '') return describe(error);
    return cleanOf(stack, error, maxLength);
  } catch {
    return 'something that cannot be shown';
  }
}

function causeOf(error: unknown): unknown {
  try {
    return isError(error) ? error.cause : undefined;
  } catch {
    return undefined;
  }
}
