import { vi } from 'vitest';
import type { Check, CheckMessage } from 'lifesign/checks';
import { abortController } from '../../src/core/heartbeat/run.js';

/** What a check says within a time, as `kind id: text`. */
export async function say(check: Check, time = 1000): Promise<readonly string[]> {
  const { signal } = abortController(performance.now() + time);
  return texts(await check({ signal, name: 'tested' }));
}

/** What a check says that has all the time it wants. */
export async function sayInTime(check: Check): Promise<readonly string[]> {
  return texts(await check({ signal: new AbortController().signal, name: 'tested' }));
}

function texts(outcome: unknown): readonly string[] {
  const messages: readonly CheckMessage[] = Array.isArray(outcome) ? outcome : [];
  return messages.map(({ constructor, id, text }) => `${constructor.name} ${id}: ${text}`);
}

export const never = () => new Promise<never>(() => {});

/** Waits until an expectation holds. */
export const until = (holds: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(holds, { timeout: 10_000, interval: 1 });
