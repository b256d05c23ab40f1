import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { LogRecord } from 'lifesign';
import { leave } from '../core/leave.js';
import { checks, Health } from 'lifesign/fetch';

beforeAll(() => void vi.useFakeTimers());
afterAll(() => void vi.useRealTimers());

const heartbeat = 'http://localhost/__heartbeat__';

/** A Health whose check counts its runs. */
function scheduled(options: object, checkOptions: object = {}) {
  const seen = { runs: 0, atOnce: 0, most: 0, started: [] as number[], duration: 0, fails: false };
  const records: LogRecord[] = [];
  const sources: string[] = [];
  const health = new Health({ logger: { log: (record) => void records.push(record) }, ...options });
  for (const name of ['heartbeatPassed', 'heartbeatFailed'] as const)
    health.on(name, ({ source }) => void sources.push(source));
  const run = async () => {
    seen.runs += 1;
    seen.atOnce += 1;
    seen.most = Math.max(seen.most, seen.atOnce);
    seen.started.push(performance.now());
    const { duration, fails } = seen;
    if (duration > 0) await new Promise((resolve) => setTimeout(resolve, duration));
    seen.atOnce -= 1;
    const since = seen.started.at(-1);
    return fails
      ? [new checks.Error('It is down', { id: 'acme.E001' })]
      : [new checks.Info(`${since}`, { id: 'acme.I001' })];
  };
  health.check('storage', run, checkOptions);
  const serve = health.wrap(() => new Response('app'));
  const get = async (path = '') => serve(new Request(heartbeat + path));
  /** Milliseconds since the run began whose result is served. */
  const age = async (path = '') => {
    const report = await (await get(path)).json();
    return performance.now() - Number(report.details.storage.messages['acme.I001']);
  };
  return { health, seen, records, sources, get, age };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('without the option a heartbeat runs the checks and nothing else does', async () => {
  const { health, seen, get } = scheduled({});
  await pass(3_600_000);
  expect(seen.runs).toBe(0);
  await get();
  expect(seen.runs).toBe(1);
  health.close();
});

test('the checks run by themselves, and heartbeats are answered at once with the last result', async () => {
  const { health, seen, sources, age } = scheduled({ every: '30s' });
  await pass(3001);
  expect([seen.runs, sources]).toEqual([1, ['schedule']]);
  seen.duration = 60_000;
  seen.fails = true;
  await pass(20_000);
  expect(await age()).toBeGreaterThanOrEqual(20_000);
  expect(seen.runs).toBe(1);
  health.close();
});

test('what fails on a schedule is logged and signalled without a request', async () => {
  const { health, seen, records, sources, get } = scheduled({ every: '1s' });
  seen.fails = true;
  await pass(1000);
  expect(records.map(({ msg }) => msg)).toContain('acme.E001: It is down');
  expect(sources[0]).toBe('schedule');
  expect((await get()).status).toBe(500);
  health.close();
});

test('one check on a schedule leaves the others to heartbeats', async () => {
  const { health, seen, sources, age } = scheduled({}, { every: '10s' });
  let others = 0;
  health.check('other', () => void (others += 1));
  await pass(60_000);
  expect(seen.runs).toBeGreaterThanOrEqual(5);
  expect([others, sources]).toEqual([0, []]);
  const before = seen.runs;
  expect(await age()).toBeLessThanOrEqual(20_000);
  expect([seen.runs, others]).toEqual([before, 1]);
  health.close();
});

test('its options are checked', () => {
  expect(() => scheduled({ every: '50ms' })).toThrow(
    /Option every is .*it must be a text such as "30s", or in code a number from 100 to/,
  );
  expect(() => scheduled({}, { every: 0 })).toThrow(/every of check storage/);
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 4000 }) }) },
  { weight: 3, arbitrary: fc.constant({ get: true }) },
  { weight: 2, arbitrary: fc.record({ slow: fc.integer({ min: 0, max: 3000 }) }) },
);
const slowest = 3000;

test('in any order of requests and of slow runs: none overlap, none is late, no answer is too old, and close ends all', async () => {
  const interval = fc.integer({ min: 500, max: 5000 });
  await fc.assert(
    fc.asyncProperty(interval, fc.array(step, { maxLength: 40 }), async (every, steps) => {
      const { health, seen, age } = scheduled({ every, timeout: 60_000 });
      const answers: Promise<number>[] = [];
      for (const { pass: ms, slow, get: asked } of steps as { pass?: number; slow?: number; get?: true }[]) {
        if (ms !== undefined) await pass(ms);
        if (slow !== undefined) seen.duration = slow;
        if (asked === true) answers.push(age());
      }
      await pass(20 * every);
      for (const age of await Promise.all(answers)) expect(age).toBeLessThanOrEqual(2 * every + slowest);
      expect(seen.most).toBe(1);
      const gaps = seen.started.slice(1).map((at, index) => at - (seen.started[index] ?? 0));
      // A run that is joined may have begun up to its duration earlier; a slow one is followed by a pause.
      expect(Math.max(...gaps)).toBeLessThanOrEqual(1.2 * every + slowest + 10);

      health.close();
      await pass(slowest);
      const { runs } = seen;
      await pass(20 * every);
      expect(seen.runs).toBe(runs);
    }),
    { numRuns: 60 },
  );
});

test('a group gets the last result, until that is older than two intervals', async () => {
  const { health, seen, age } = scheduled({ every: '30s', groups: { files: ['storage'] } });
  await pass(3001);
  await pass(20_000);
  const old = await age('/files');
  expect(seen.runs).toBe(1);
  expect(old).toBeGreaterThanOrEqual(20_000);
  expect(old).toBeLessThanOrEqual(23_001);
  leave(health, false);
  await pass(60_000);
  expect([await age('/files'), seen.runs]).toEqual([0, 2]);
  health.close();
});

test('intervals differ, and each is within a tenth of the option', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1000, max: 60_000 }), async (every) => {
      const { health, seen } = scheduled({ every });
      await pass(12 * every);
      health.close();
      const [first = Infinity, ...others] = seen.started;
      const gaps = others.map((at, index) => at - (seen.started[index] ?? 0));
      expect(gaps.length).toBeGreaterThanOrEqual(9);
      expect(new Set([first, ...gaps]).size).toBeGreaterThan(1);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0.9 * every - 2);
      expect(Math.max(...gaps)).toBeLessThanOrEqual(1.1 * every + 2);
    }),
    { numRuns: 20 },
  );
});

test('a process that leaves runs no more checks by itself, and serves no result that is older than two intervals', async () => {
  const { health, seen, age } = scheduled({ every: '1s' });
  await pass(5000);
  expect(seen.runs).toBeGreaterThan(3);
  leave(health, false);
  const { runs } = seen;
  await pass(60_000);
  expect(seen.runs).toBe(runs);
  expect(await age()).toBe(0);
  expect(seen.runs).toBe(runs + 1);
  health.close();
});

test('a schedule runs nothing that a heartbeat runs already', async () => {
  const { health, seen, get } = scheduled({ every: '1s', timeout: 60_000 });
  seen.duration = 5000;
  const answer = get();
  await pass(4000);
  expect(seen.runs).toBe(1);
  await pass(2000);
  expect((await answer).status).toBe(200);
  health.close();
});
