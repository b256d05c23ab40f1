import { backoffAfter, deadlineOf } from '../../core/heartbeat/run.js';
import { shown } from '../../core/options/errors.js';
import { late, type Starter, unlessLate } from '../flight.js';
import { describePublicly } from '../../core/scrub/scrub.js';
import { reasonOf } from '../reasons.js';

/** Why something could not be found out, in words that follow a colon. */
export class Unknown extends Error {}

/**
 * Asks a function again and again, with an end for each answer. One call at a time: who asks while one is under way waits
 * for that one, so that a function that hangs is not called by every heartbeat.
 */
export function polling<T>(
  who: string,
  poll: (starter: Starter) => unknown,
  read: (answer: unknown) => T | undefined,
  expects: string,
  reason: (thrown: unknown) => string = (thrown) => `${who} failed: ${wordsOf(thrown)}`,
): (starter: Starter) => Promise<T> {
  let current: { readonly answer: Promise<unknown>; readonly until: number } | undefined;
  let lost = 0;
  const start = (starter: Starter, now: number, time: number): Promise<unknown> => {
    if (current !== undefined) lost += 1;
    // oxlint-disable-next-line typescript/require-await -- a synchronous throw is a rejection, too
    const answer = (async () => poll(starter))();
    const call = { answer, until: now + time * backoffAfter(lost) };
    const end = () => {
      if (current !== call) return;
      current = undefined;
      lost = 0;
    };
    answer.then(end, end);
    current = call;
    return answer;
  };
  return async (starter) => {
    const { signal } = starter;
    const now = performance.now();
    const time = deadlineOf(signal) - now;
    const answer = current !== undefined && now < current.until ? current.answer : start(starter, now, time);
    const found = await unlessLate(answer, signal).catch((thrown: unknown) => {
      throw thrown instanceof Unknown ? thrown : new Unknown(reason(thrown));
    });
    if (found === late) throw new Unknown(`${who} did not answer in time`);
    const value = read(found);
    if (value === undefined) throw new Unknown(`${who} returned ${shown(found)}; it must be ${expects}`);
    return value;
  };
}

/** A function of the application throws what its author has written. */
function wordsOf(thrown: unknown): string {
  const { fault, text } = reasonOf(thrown);
  return fault === 'other' ? describePublicly(thrown) : text;
}
