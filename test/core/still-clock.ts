import { vi } from 'vitest';

/** A clock of `performance.now()` that stands still but for what the test says, however busy the machine is. */
export function stillClock(): { forward(ms: number): void; restore(): void } {
  let now = performance.now();
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now);
  return { forward: (ms) => void (now += ms), restore: () => spy.mockRestore() };
}
