import { timersEndWithRequest } from '../runtime.js';
import { shared } from '../shared.js';

// Kept: a test that holds the time still must not hold back the log.
const { setImmediate } = globalThis;

interface Deferral {
  enabled: boolean;
  waiting: (() => void)[];
  /** Whether the waiting work is already scheduled. */
  scheduled: boolean;
}

const deferral = /* @__PURE__ */ shared<Deferral>('turn', () => ({
  enabled: false,
  waiting: [],
  scheduled: false,
}));

/**
 * Does the work at the end of this turn of the event loop, together with all other such work: that takes half as long
 * as doing each piece between requests, and no request waits for it. At once until `enableDeferring` has been called.
 */
export function defer(work: () => void): void {
  if (!deferral.enabled) return work();
  deferral.waiting.push(work);
  if (deferral.scheduled) return;
  deferral.scheduled = true;
  setImmediate(flushDeferred);
}

/** Does the waiting work now, and the work that it creates: a summary has its line written in the same pass. */
export function flushDeferred(): void {
  deferral.scheduled = true;
  try {
    while (deferral.waiting.length > 0) {
      const now = deferral.waiting;
      deferral.waiting = [];
      for (const work of now) work();
    }
  } finally {
    deferral.scheduled = false;
  }
}

/** Work may wait from now on: the caller sees to it that `disableDeferring` is called before the process ends, by whatever way. */
export function enableDeferring(): void {
  deferral.enabled = !timersEndWithRequest && typeof setImmediate === 'function';
}

/** The process is about to end, and there may be no next turn: from now on nothing waits. */
export function disableDeferring(): void {
  deferral.enabled = false;
  flushDeferred();
}
