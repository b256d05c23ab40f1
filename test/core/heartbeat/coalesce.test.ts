import { expect, it, onTestFinished, vi } from 'vitest';
import { makeHealth } from '../make-health.js';
import { turn } from '../waiting.js';

/** A check that counts its runs and the most of them that were under way at once. */
function counting() {
  const seen = { runs: 0, now: 0, most: 0 };
  const check = async () => {
    seen.runs += 1;
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    await turn();
    seen.now -= 1;
  };
  return { seen, check };
}

it('by default every heartbeat runs the checks, also those that overlap', async () => {
  const { health } = makeHealth();
  const { seen, check } = counting();
  health.check('counted', check);
  await Promise.all(Array.from({ length: 10 }, () => health.heartbeat()));
  expect(seen.runs).toBe(10);
});

it('coalesce: heartbeats that overlap share one run; the next one runs anew', async () => {
  const { health } = makeHealth({ coalesce: true });
  const { seen, check } = counting();
  health.check('counted', check);
  let signals = 0;
  health.on('heartbeatPassed', () => (signals += 1));
  const beats = await Promise.all(Array.from({ length: 200 }, () => health.heartbeat()));
  expect(seen.runs).toBe(1);
  expect(signals).toBe(1);
  expect(beats.every((beat) => beat === beats[0])).toBe(true);
  await health.heartbeat();
  expect(seen.runs).toBe(2);
});

it('a flood piles up no more than 10 runs of a check, whatever the options', async () => {
  const { health } = makeHealth();
  const { seen, check } = counting();
  health.check('counted', check);
  const beats = await Promise.all(Array.from({ length: 5000 }, () => health.heartbeat()));
  expect(seen.most).toBe(10);
  expect(beats.every(({ status }) => status === 'ok')).toBe(true);
});

it('a flood on a check that hangs leaves no more than 10 runs behind', async () => {
  const { health } = makeHealth({ timeout: 30 });
  let runs = 0;
  health.check('hangs', () => {
    runs += 1;
    return new Promise<never>(() => {});
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const flood = () => Promise.all(Array.from({ length: 2000 }, () => health.heartbeat()));
  const hung = flood();
  await vi.advanceTimersByTimeAsync(31);
  const first = await hung;
  expect(new Set(first.map((beat) => beat.results[0]?.messages[0]?.id))).toEqual(new Set(['health.E012']));
  const second = await flood();
  expect(second.every((beat) => beat.results[0]?.messages[0]?.id === 'health.E013')).toBe(true);
  expect(runs).toBe(10);
});

it('coalesce is read from HEALTH_COALESCE', () => {
  process.env['HEALTH_COALESCE'] = 'true';
  try {
    expect(makeHealth().health.options.coalesce).toBe(true);
  } finally {
    delete process.env['HEALTH_COALESCE'];
  }
});
