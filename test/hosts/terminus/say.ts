import { performance } from 'node:perf_hooks';
import { Health } from 'lifesign/express';
import type { Check, CheckMessage } from 'lifesign/checks';

/** What a check says, as `kind id: text`. */
export async function say(check: Check, signal = new AbortController().signal): Promise<readonly string[]> {
  const outcome = await check({ signal, name: 'tested' });
  const messages: readonly CheckMessage[] = Array.isArray(outcome) ? outcome : [];
  return messages.map(({ constructor, id, text }) => `${constructor.name} ${id}: ${text}`);
}

/** The ids of one heartbeat with this check, with all the core does about time. */
export async function beat(check: Check, timeout = 300): Promise<readonly string[]> {
  const health = new Health(undefined, { logger: { log() {} }, timeout });
  health.check('tested', check);
  const { results } = await health.heartbeat();
  return results.flatMap(({ messages }) => messages.map(({ id }) => id));
}

/** Waits until something holds; a state, not a time. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + 20_000; performance.now() < end;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`It never came to be: ${what}`);
}
