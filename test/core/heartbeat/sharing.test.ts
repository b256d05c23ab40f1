import { afterEach, describe, expect, it, vi } from 'vitest';
import { Warning } from 'lifesign/checks';
import { makeHealth } from '../make-health.js';
import { deferred, pause, turn, until } from '../waiting.js';

afterEach(() => void vi.useRealTimers());

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

it('who needs nothing newer than the heartbeat under way gets a new one when that is over', async () => {
  const { health, ask } = makeHealth({ metrics: { refresh: 1 } });
  const { seen, check } = counting();
  health.check('counted', check);
  for (let scrape = 1; scrape <= 3; scrape += 1) {
    await ask('/__metrics__');
    expect(seen.runs).toBe(scrape);
    await pause(5);
  }
});

describe('coalesce', () => {
  it('is off by default: heartbeats that overlap run the checks each', async () => {
    const { health } = makeHealth();
    const { seen, check } = counting();
    health.check('counted', check);
    await Promise.all(Array.from({ length: 10 }, () => health.heartbeat()));
    expect(seen.runs).toBe(10);
  });

  it('is off again after any number of heartbeats: those that are over, and runs for probes, count for nothing', async () => {
    const { health, ask } = makeHealth({ probes: { probeEvery: 1 } });
    const { seen, check } = counting();
    health.check('counted', check);
    for (let round = 0; round < 120; round += 1) await health.heartbeat();
    for (let round = 0; round < 5; round += 1) {
      await ask('/readyz');
      await pause(3);
    }
    seen.runs = 0;
    await Promise.all(Array.from({ length: 5 }, () => health.heartbeat()));
    expect(seen.runs).toBe(5);
  });

  it('a probe during a heartbeat runs nothing of its own', async () => {
    const { health, ask } = makeHealth({ probes: true });
    const gate = deferred();
    const { seen, check } = counting();
    health.check('slow', async () => {
      await check();
      await gate.promise;
    });
    const beat = health.heartbeat();
    const probe = ask('/readyz');
    await turn();
    gate.resolve();
    await Promise.all([beat, probe]);
    expect(seen.runs).toBe(1);
  });

  it('has heartbeats that overlap share one run; the next one runs anew', async () => {
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

  it('shares none that began before a check was registered', async () => {
    const { health } = makeHealth({ coalesce: true });
    const gate = deferred();
    health.check('early', () => gate.promise);
    const before = health.heartbeat();
    health.check('late', () => {});
    const after = health.heartbeat();
    gate.resolve();
    expect((await before).results.map(({ name }) => name)).toEqual(['early']);
    expect((await after).results.map(({ name }) => name)).toEqual(['early', 'late']);
  });

  it('has a heartbeat wait for the run that a probe began, and the log has what it said, once', async () => {
    const { health, records, ask } = makeHealth({ coalesce: true, probes: true });
    // The feature is loaded by its first request.
    await ask('/readyz');
    let runs = 0;
    const gate = deferred();
    health.check('slow', async () => {
      runs += 1;
      await gate.promise;
      return new Warning('slow', { id: 'a.W' });
    });
    const observed = ask('/readyz');
    await until(() => runs > 0);
    const beats = [health.heartbeat(), health.heartbeat()];
    gate.resolve();
    await Promise.all([observed, ...beats]);
    health.close();
    expect(runs).toBe(1);
    expect(records.filter(({ msg }) => msg === 'a.W: slow')).toHaveLength(1);
  });
});

describe('a flood of heartbeats', () => {
  it('piles up no more than 10 runs of a check, whatever the options', async () => {
    const { health } = makeHealth();
    const { seen, check } = counting();
    health.check('counted', check);
    const beats = await Promise.all(Array.from({ length: 5000 }, () => health.heartbeat()));
    expect(seen.most).toBe(10);
    expect(beats.every(({ status }) => status === 'ok')).toBe(true);
  });

  it('on a check that hangs leaves no more than 10 runs behind', async () => {
    const { health } = makeHealth({ timeout: 30 });
    let runs = 0;
    health.check('hangs', () => {
      runs += 1;
      return new Promise<never>(() => {});
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
    const flood = () => Promise.all(Array.from({ length: 2000 }, () => health.heartbeat()));
    const hung = flood();
    await vi.advanceTimersByTimeAsync(31);
    const ids = (beats: Awaited<typeof hung>) =>
      new Set(beats.map(({ results }) => results[0]?.messages[0]?.id));
    expect(ids(await hung)).toEqual(new Set(['health.E012']));
    expect(ids(await flood())).toEqual(new Set(['health.E013']));
    expect(runs).toBe(10);
  });
});
