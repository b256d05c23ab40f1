import { host, timersEndWithRequest } from './runtime.js';
import { shared } from './shared.js';

// Kept: a test that holds the time still must not hold back the log.
const { setImmediate } = globalThis;

interface Turn {
  mayWait: boolean;
  hooked: boolean;
  waiting: (() => void)[];
}

const turn = /* @__PURE__ */ shared<Turn>('turn', () => ({
  mayWait: !timersEndWithRequest && typeof setImmediate === 'function',
  hooked: false,
  waiting: [],
}));

/**
 * Does the work when this turn of the event loop is over, in one go with all other such work: that takes half as long
 * as doing each piece between requests, and none of them waits for it. At once where nothing may outlive a request.
 */
export function afterTurn(work: () => void): void {
  if (!turn.mayWait) return work();
  if (turn.waiting.push(work) === 1) setImmediate(endTurn);
  if (turn.hooked) return;
  turn.hooked = true;
  host.once?.('exit', lastTurn);
}

/** Does now what is waiting. */
export function endTurn(): void {
  const now = turn.waiting;
  turn.waiting = [];
  for (const work of now) work();
}

/** The process is told to end, and there may be no next turn: from now on nothing waits. */
export function lastTurn(): void {
  turn.mayWait = false;
  endTurn();
}
