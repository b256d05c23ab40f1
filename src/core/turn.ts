import { host, timersEndWithRequest } from './runtime.js';

// Kept: a test that holds the time still must not hold back the log.
const { setImmediate } = globalThis;
let mayWait = !timersEndWithRequest && typeof setImmediate === 'function';

let waiting: (() => void)[] = [];
let hooked = false;

/**
 * Does the work when this turn of the event loop is over, in one go with all other such work: that takes half as long
 * as doing each piece between requests, and none of them waits for it. At once where nothing may outlive a request.
 */
export function afterTurn(work: () => void): void {
  if (!mayWait) return work();
  if (waiting.push(work) === 1) setImmediate(endTurn);
  if (hooked) return;
  hooked = true;
  host.once?.('exit', lastTurn);
}

/** Does now what is waiting. */
export function endTurn(): void {
  const now = waiting;
  waiting = [];
  for (const work of now) work();
}

/** The process is told to end, and there may be no next turn: from now on nothing waits. */
export function lastTurn(): void {
  mayWait = false;
  endTurn();
}
