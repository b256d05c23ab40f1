import { vi } from 'vitest';
import type { Check } from 'lifesign/checks';
import { Health } from 'lifesign/node';

const kinds: Readonly<Record<number, string>> = {
  10: 'Debug',
  20: 'Info',
  30: 'Warning',
  40: 'Error',
  50: 'Critical',
};

/** The Health of each check, one for each time that it was given: what a check listens to lasts as long as its Health. */
const healths = new WeakMap<Check, Map<number, Health>>();

function healthOf(check: Check, timeout: number): Health {
  const known = healths.get(check) ?? new Map<number, Health>();
  healths.set(check, known);
  const health = known.get(timeout) ?? new Health(undefined, { logger: false, timeout });
  if (!known.has(timeout)) health.check('tested', check);
  known.set(timeout, health);
  return health;
}

/** The messages of a check in a heartbeat with this timeout, as `kind id: text`. */
export async function say(check: Check, timeout = 60_000): Promise<readonly string[]> {
  const { results } = await healthOf(check, timeout).heartbeat();
  return results.flatMap(({ messages }) =>
    messages.map(({ level, id, text }) => `${kinds[level]} ${id}: ${text}`),
  );
}

export const never = () => new Promise<never>(() => {});

/** Waits until an expectation holds. */
export const until = (holds: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(holds, { timeout: 10_000, interval: 1 });
