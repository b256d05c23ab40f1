import { Life } from '../../../src/checks/listening.js';
import type { Kind } from '../../../src/checks/recognise.js';
import type { Consumer } from '../../../src/checks/brokers/broker.js';

/** The adapter of a consumer, as `checks.progress` finds it. */
export function adapt<Settings>(
  kind: Kind<(settings: Settings) => Consumer>,
  client: unknown,
  settings: Settings,
): Consumer {
  const make = kind.recognise(client);
  if (make === undefined) throw new Error(`Not recognised as ${kind.names.join(' or ')}`);
  return make(settings);
}

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
