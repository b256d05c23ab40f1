import { timersEndWithRequest } from '../runtime.js';
import { shared } from '../shared.js';

// Kept: a test that holds the time still must not hold back the log.
const { setImmediate } = globalThis;

interface Turn {
  mayWait: boolean;
  waiting: (() => void)[];
  /** Whether the waiting work is already scheduled. */
  scheduled: boolean;
}

const turn = /* @__PURE__ */ shared<Turn>('turn', () => ({ mayWait: false, waiting: [], scheduled: false }));

/**
 * Does the work at the end of this turn of the event loop, together with all other such work: that takes half as long
 * as doing each piece between requests, and no request waits for it. At once until `nextTurn` has been called.
 */
export function afterTurn(work: () => void): void {
  if (!turn.mayWait) return work();
  turn.waiting.push(work);
  if (turn.scheduled) return;
  turn.scheduled = true;
  setImmediate(endTurn);
}

/** Does the waiting work now, and the work that it creates: a summary has its line written in the same pass. */
export function endTurn(): void {
  turn.scheduled = true;
  try {
    while (turn.waiting.length > 0) {
      const now = turn.waiting;
      turn.waiting = [];
      for (const work of now) work();
    }
  } finally {
    turn.scheduled = false;
  }
}

/** Work may wait from now on: the caller sees to it that `lastTurn` is called before the process ends, by whatever way. */
export function nextTurn(): void {
  turn.mayWait = !timersEndWithRequest && typeof setImmediate === 'function';
}

/** The process is about to end, and there may be no next turn: from now on nothing waits. */
export function lastTurn(): void {
  turn.mayWait = false;
  endTurn();
}
