import { realClock } from '../core/clock.js';
import { outsideRequest } from '../core/request/request.js';
import { host } from '../core/runtime.js';
import { delayLookEvery, reachTimeout } from './limits.js';

/** Starts to watch this process; the returned function ends that. It says whether the process itself may be why something got no answer since then. */
export type WatchDelay = () => () => boolean;

/**
 * A connection is delayed by an event loop that is busy, and by threads that are: those of Node look up names and compute hashes. So a small job
 * passes through both again and again. If neither was free for as long as a peer may take in all, the network may be fast.
 */
export const watchDelay: WatchDelay = () => {
  const crypto = host.getBuiltinModule?.('node:crypto');
  const began = performance.now();
  let delayed = 0;
  let due = began;
  let isOver = crypto === undefined;
  const look = () => {
    if (isOver) return;
    crypto?.randomBytes(1, () => {
      const now = performance.now();
      delayed += now - due;
      due = now + delayLookEvery;
      realClock.after(delayLookEvery, look);
    });
  };
  outsideRequest(look);
  return () => {
    isOver = true;
    const now = performance.now();
    const took = now - began;
    const free = took - delayed - Math.max(0, now - due);
    return took > reachTimeout && free <= reachTimeout;
  };
};
