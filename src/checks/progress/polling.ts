import { shown } from '../../core/options/errors.js';
import { describePublicly } from '../../core/scrub/scrub.js';
import { Failure, reasonOf } from '../reasons.js';
import { late, oneAtATime, unlessLate } from '../round-trip.js';

/** A call that hangs is abandoned after this many times the time of a run: it may hold a connection. */
const patience = 12;

/**
 * Polls a function, with a deadline for each answer; rejects with our own text. One call at a time, so that
 * every heartbeat does not call a function that hangs.
 */
export function polling<A, T>(
  who: string,
  poll: (signal: AbortSignal) => A | PromiseLike<A>,
  read: (answer: A) => T | undefined,
  expects: string,
  reason: (thrown: unknown) => string = (thrown) => `${who} failed: ${errorText(thrown)}`,
): (signal: AbortSignal) => Promise<T> {
  // oxlint-disable-next-line typescript/require-await -- a synchronous throw is a rejection, too
  const call = oneAtATime(async (signal) => poll(signal), patience);
  return async (signal) => {
    const answer = await unlessLate(call(signal), signal).catch((thrown: unknown) => {
      throw thrown instanceof Failure ? thrown : new Failure(reason(thrown));
    });
    if (answer === late) throw new Failure(`${who} did not answer in time`);
    const value = read(answer);
    if (value === undefined) throw new Failure(`${who} returned ${shown(answer)}; it must be ${expects}`);
    return value;
  };
}

/** Errors that a function of the application throws may be shown: its author wrote their text. */
function errorText(thrown: unknown): string {
  const { fault, text } = reasonOf(thrown);
  return fault === 'other' ? describePublicly(thrown) : text;
}
