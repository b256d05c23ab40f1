import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { makeHealth } from '../make-health.js';
import { deferred } from '../waiting.js';

const never = () => new Promise<never>(() => {});
const idOf = (beat: { results: readonly { messages: readonly { id: string }[] }[] }) =>
  beat.results[0]?.messages[0]?.id ?? 'ok';

// Time passes only when a test says so.
beforeAll(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] }),
);
afterAll(() => void vi.useRealTimers());
const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);

it('a hung run is given up and tried once more after 3, 6, 12, 24, 48, 96 and then each 96 timeouts', async () => {
  const { health } = makeHealth({ timeout: 1000 });
  let runs = 0;
  health.check('db', () => {
    runs += 1;
    return runs < 9 ? never() : undefined;
  });
  const waits: number[] = [];
  let asked = health.heartbeat();
  for (let tried = 1; tried < 9; tried += 1) {
    await after(1001);
    expect([runs, idOf(await asked)]).toEqual([tried, 'health.E012']);
    let timeouts = 0;
    for (let again = false; !again && timeouts < 200; again = runs > tried) {
      await after(1000);
      timeouts += 1;
      asked = health.heartbeat();
      if (runs === tried) expect(idOf(await asked)).toBe('health.E013');
    }
    waits.push(timeouts);
  }
  expect(waits).toEqual([3, 6, 12, 24, 48, 96, 96, 96]);
  expect(idOf(await asked)).toBe('ok');
});

it('while a run that was abandoned is open, the check runs once at a time, however many heartbeats come', async () => {
  const { health } = makeHealth({ timeout: 15 });
  let runs = 0;
  const [first, retry] = [deferred(), deferred()];
  health.check('db', () => {
    runs += 1;
    return runs === 1 ? first.promise : retry.promise;
  });
  const timedOut = health.heartbeat();
  await after(16);
  await timedOut;
  await after(3 * 15 + 2);
  const flood = Array.from({ length: 50 }, () => health.heartbeat());
  expect(runs).toBe(2);
  retry.resolve();
  expect(new Set((await Promise.all(flood)).map(idOf))).toEqual(new Set(['ok']));
  await Promise.all([health.heartbeat(), health.heartbeat()]);
  expect(runs).toBe(3);
  first.resolve();
  await after(0);
  // Heartbeats that overlap run the check each, as before.
  await Promise.all([health.heartbeat(), health.heartbeat()]);
  expect(runs).toBe(5);
});

it('a run that settles late after it was given up gets its short wait back', async () => {
  const { health } = makeHealth({ timeout: 1000 });
  const runs: ReturnType<typeof deferred>[] = [];
  health.check('db', () => {
    const run = deferred();
    runs.push(run);
    return run.promise;
  });
  const hang = async () => {
    const asked = health.heartbeat();
    await after(1001);
    expect(idOf(await asked)).toBe('health.E012');
  };
  await hang();
  await after(3010);
  await hang();
  for (const run of runs) run.resolve();
  await after(0);
  await hang();
  await after(2990);
  expect(idOf(await health.heartbeat())).toBe('health.E013');
  await after(20);
  void health.heartbeat();
  expect(runs).toHaveLength(4);
});
