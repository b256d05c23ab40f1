import { unreachable } from '../../../src/command/unreachable.js';
import { textOf } from '../../../src/core/scrub/scrub.js';

/** Why there was no response: a sentence, or the message of an error that has none. */
export function failureOf(error: Error): string {
  return unreachable(error) ?? textOf(error);
}

/** The same about the proxy before it; no option accepts its certificate. */
export function proxyFailureOf(error: Error): string {
  return `the proxy: ${unreachable(error, '') ?? textOf(error)}`;
}
