import { Life } from '../../../src/checks/life.js';
import type { Consumer } from '../../../src/checks/progress/consumer.js';

const starter = { signal: new AbortController().signal };

export const settings = () => ({ stalledAfter: 60_000, life: new Life() });

/** Returns a function that looks, and says whether something was done and attempts failed since the look before. */
export async function looking(consumer: Consumer) {
  let before = await consumer.look(starter);
  return async () => {
    const now = await consumer.look(starter);
    const isDone = now.mark !== before.mark;
    const failed = (now.attempts ?? 0) - (before.attempts ?? 0);
    before = now;
    return { isDone, failed, pending: now.pending, stopped: now.stopped };
  };
}
