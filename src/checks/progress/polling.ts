import { deadlineOf } from '../../core/heartbeat/run.js';
import { shown } from '../../core/options/errors.js';
import { describePublicly } from '../../core/scrub/scrub.js';
import { OwnError } from '../client.js';
import { late, type Starter, unlessLate } from '../flight.js';
import { reasonOf } from '../reasons.js';

/** A call that hangs is abandoned after this many times the time of a run: it may hold a connection. */
const patience = 12;

/**
 * Polls a function, with an end for each answer; rejects with our own text. One call at a time: further runs wait for the one under
 * way, so that every heartbeat does not call a function that hangs.
 */
export function polling<A, T>(
  who: string,
  poll: (starter: Starter) => A | PromiseLike<A>,
  read: (answer: A) => T | undefined,
  expects: string,
  reason: (thrown: unknown) => string = (thrown) => `${who} failed: ${errorText(thrown)}`,
): (starter: Starter) => Promise<T> {
  let current: { readonly answer: Promise<A>; readonly until: number } | undefined;
  return async (starter) => {
    const now = performance.now();
    if (current === undefined || now >= current.until) {
      // oxlint-disable-next-line typescript/require-await -- a synchronous throw is a rejection, too
      const answer = (async () => poll(starter))();
      const call = { answer, until: now + (deadlineOf(starter.signal) - now) * patience };
      current = call;
      const end = () => {
        if (current === call) current = undefined;
      };
      answer.then(end, end);
    }
    const answer = await unlessLate(current.answer, starter.signal).catch((thrown: unknown) => {
      throw thrown instanceof OwnError ? thrown : new OwnError(reason(thrown));
    });
    if (answer === late) throw new OwnError(`${who} did not answer in time`);
    const value = read(answer);
    if (value === undefined) throw new OwnError(`${who} returned ${shown(answer)}; it must be ${expects}`);
    return value;
  };
}

/** A function of the application throws what its author has written. */
function errorText(thrown: unknown): string {
  const { fault, text } = reasonOf(thrown);
  return fault === 'other' ? describePublicly(thrown) : text;
}
