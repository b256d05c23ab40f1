import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Heartbeat } from '../../src/core/heartbeat/heartbeat.js';
import { Runner } from '../../src/probes/runner.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An instance whose runs are counted. */
function instance(probeEvery: number, took = 0) {
  const runs: number[] = [];
  const run = async (): Promise<Heartbeat> => {
    runs.push(performance.now());
    if (took > 0) await new Promise<void>((resolve) => setTimeout(resolve, took));
    return { status: 'ok', level: 0, results: [] } as unknown as Heartbeat;
  };
  return { runs, runner: new Runner({ run, take: () => {}, probeEvery }) };
}

it('runs come at least probeEvery apart, and at most a quarter later while somebody asks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 50, max: 5000 }),
      fc.integer({ min: 0, max: 200 }),
      fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 50, maxLength: 200 }),
      async (probeEvery, took, gaps) => {
        const { runs, runner } = instance(probeEvery, took);
        for (const gap of gaps) {
          void runner.ask();
          await vi.advanceTimersByTimeAsync(gap);
        }
        const widest = Math.max(...gaps);
        for (const [index, at] of runs.slice(1).entries()) {
          const apart = at - (runs[index] ?? NaN);
          expect(apart).toBeGreaterThanOrEqual(probeEvery);
          // Or when the one before is over, and somebody asks.
          expect(apart).toBeLessThanOrEqual(Math.max(probeEvery * 1.25, took) + widest + 2);
        }
        runner.close();
        await vi.runAllTimersAsync();
      },
    ),
    { numRuns: 50 },
  );
});

it('a fleet that is asked in step does not run in step for long', async () => {
  const fleet = Array.from({ length: 50 }, () => instance(1000));
  for (let second = 0; second < 25; second += 1) {
    for (const { runner } of fleet) {
      void runner.ask();
    }
    await vi.advanceTimersByTimeAsync(500);
    for (const { runner } of fleet) void runner.ask();
    await vi.advanceTimersByTimeAsync(500);
  }
  const busiest = (from: number) => {
    const tenths = new Map<number, number>();
    for (const { runs } of fleet) {
      for (const at of runs.filter((each) => each >= from && each < from + 5000)) {
        const tenth = Math.floor(at / 100);
        tenths.set(tenth, (tenths.get(tenth) ?? 0) + 1);
      }
    }
    return Math.max(...tenths.values());
  };
  const start = fleet[0]?.runs[0] ?? 0;
  expect(busiest(start)).toBe(50);
  // Spread evenly it would be about five.
  expect(busiest(start + 20_000)).toBeLessThan(25);
  for (const { runner } of fleet) runner.close();
});
