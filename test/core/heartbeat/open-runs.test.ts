import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OpenRuns } from '../../../src/core/heartbeat/open-runs.js';
import { makeHealth, report } from '../make-health.js';
import { stillClock } from '../still-clock.js';
import { deferred, until } from '../waiting.js';

const idOf = (beat: { results: readonly { messages: readonly { id: string }[] }[] }) =>
  beat.results[0]?.messages[0]?.id ?? 'ok';

describe('a run that hangs', () => {
  it('is given up after three timeouts: one new run starts, and a healed dependency is well again', async () => {
    const { health } = makeHealth({ timeout: 15 });
    let runs = 0;
    health.check('db', () => {
      runs += 1;
      return runs === 1 ? new Promise<never>(() => {}) : undefined;
    });
    const time = stillClock();
    try {
      const timedOut = health.heartbeat();
      time.forward(15);
      expect(idOf(await timedOut)).toBe('health.E012');
      time.forward(3 * 15 - 1);
      expect(idOf(await health.heartbeat())).toBe('health.E013');
      expect(runs).toBe(1);
      time.forward(1);
      expect(idOf(await health.heartbeat())).toBe('ok');
      expect(idOf(await health.heartbeat())).toBe('ok');
      expect(runs).toBe(3);
    } finally {
      time.restore();
    }
  });

  it('after it was given up, one new run starts, however many heartbeats come, and they wait for it', async () => {
    const { health } = makeHealth({ timeout: 15 });
    let runs = 0;
    const retry = deferred();
    health.check('db', () => {
      runs += 1;
      return runs === 1 ? new Promise<never>(() => {}) : retry.promise;
    });
    const time = stillClock();
    try {
      const timedOut = health.heartbeat();
      time.forward(15);
      await timedOut;
      time.forward(3 * 15);
      const flood = Array.from({ length: 50 }, () => health.heartbeat());
      expect(runs).toBe(2);
      retry.resolve();
      expect(new Set((await Promise.all(flood)).map(idOf))).toEqual(new Set(['ok']));
    } finally {
      time.restore();
    }
  });
});

describe('Runs', () => {
  it('gives up after 3, 6, 12, 24, 48, 96 and then each 96 timeouts while nothing settles', () => {
    const runs = new OpenRuns<object>();
    let now = 0;
    const waits: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const run = {};
      runs.start(run);
      runs.hang(run, now, now, 1, 'late');
      const from = now;
      while (runs.hungSince(now) !== undefined) now += 1;
      waits.push(now - from);
    }
    expect(waits).toEqual([3, 6, 12, 24, 48, 96, 96, 96]);
  });

  /** Runs that were started and have timed out. */
  const hang = (runs: OpenRuns<object>, now: number, count = 1): readonly object[] => {
    const made = Array.from({ length: count }, () => ({}));
    for (const run of made) runs.start(run);
    for (const run of made) runs.hang(run, now, now, 1, 'late');
    return made;
  };

  it('hang until the last of them has settled, and one that settles twice counts once', () => {
    const runs = new OpenRuns<object>();
    const [first = {}, second = {}] = hang(runs, 0, 2);
    runs.endLate(first);
    runs.endLate(first);
    expect(runs.hungSince(1)).toBe(0);
    runs.endLate(second);
    expect(runs.hungSince(1)).toBeUndefined();
    // They were not given up: the next ones get the time of the first.
    hang(runs, 10);
    expect([runs.hungSince(12.5), runs.hungSince(13)]).toEqual([10, undefined]);
  });

  it('one that was given up and settles after all takes the longer wait back, and leaves those that hang', () => {
    const runs = new OpenRuns<object>();
    const [lost = {}] = hang(runs, 0);
    expect(runs.hungSince(3)).toBeUndefined();
    const [other = {}] = hang(runs, 3);
    runs.endLate(lost);
    expect(runs.hungSince(8)).toBe(3);
    runs.endLate(other);
    hang(runs, 20);
    expect([runs.hungSince(22.5), runs.hungSince(23)]).toEqual([20, undefined]);
  });

  it('are shared from ten on, by the latest; after one was given up from the first', () => {
    const runs = new OpenRuns<object>();
    const made = Array.from({ length: 10 }, () => ({}));
    for (const run of made.slice(0, 9)) runs.start(run);
    expect(runs.shared).toBeUndefined();
    runs.start(made[9] ?? {});
    expect(runs.shared).toBe(made[9]);
    runs.end(made[0] ?? {});
    expect(runs.shared).toBeUndefined();
    const next = {};
    runs.start(next);
    expect(runs.shared).toBe(next);
    // The latest has settled: who comes now has none to wait for.
    runs.end(next);
    runs.start(made[0] ?? {});
    expect(runs.shared).toBe(made[0]);
    runs.end(made[1] ?? {});
    runs.start({});
    expect(runs.shared).not.toBe(made[0]);

    const retried = new OpenRuns<object>();
    hang(retried, 0);
    expect(retried.hungSince(3)).toBeUndefined();
    const retry = {};
    retried.start(retry);
    expect(retried.shared).toBe(retry);
    retried.end(retry);
    retried.start({});
    expect(retried.shared).toBeUndefined();
  });

  it('one that has settled is never waited for, also where only one may be tried', () => {
    const runs = new OpenRuns<object>();
    const [hung, slow, settled] = [{}, {}, {}];
    for (const run of [hung, slow, settled]) runs.start(run);
    runs.end(settled);
    runs.hang(hung, 0, 0, 1, 'late');
    expect(runs.hungSince(3)).toBeUndefined();
    expect(runs.shared).toBeUndefined();
  });

  /** What may happen to a check: it is asked, its oldest or latest run settles or times out, time passes. */
  const happening = fc.oneof(
    fc.constantFrom('ask', 'end', 'hang', 'late' as const),
    fc.integer({ min: 1, max: 400 }),
  );

  it('whatever happens: never more than 10 at once, never more than one retry, never stuck once all has settled', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 300 }), (happenings) => {
        const runs = new OpenRuns<object>();
        const underway: object[] = [];
        const hung: object[] = [];
        let now = 0;
        for (const happens of happenings) {
          if (typeof happens === 'number') now += happens;
          else if (happens === 'ask' && runs.hungSince(now) === undefined && runs.shared === undefined) {
            const run = {};
            runs.start(run);
            underway.push(run);
          } else if (happens === 'end') {
            const run = underway.pop();
            if (run !== undefined) runs.end(run);
          } else if (happens === 'hang') {
            const run = underway.shift();
            if (run !== undefined) {
              runs.hang(run, now, now, 1, 'late');
              hung.push(run);
            }
          } else if (happens === 'late') {
            const run = hung.shift();
            if (run !== undefined) runs.endLate(run);
          }
          expect(underway.length).toBeLessThanOrEqual(10);
        }
        for (const run of underway) runs.end(run);
        for (const run of hung) runs.endLate(run);
        expect(runs.hungSince(now)).toBeUndefined();
        expect(runs.shared).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('in an hour of silence a check with a timeout of 5 s leaves twelve runs behind', () => {
    const runs = new OpenRuns<object>();
    let started = 0;
    for (let second = 0; second < 3600; second += 5) {
      const now = second * 1000;
      if (runs.hungSince(now) !== undefined || runs.shared !== undefined) continue;
      const run = {};
      started += 1;
      runs.start(run);
      runs.hang(run, now, now, 5000, 'late');
    }
    expect(started).toBe(12);
  });
});

describe('health.heartbeat() inside a heartbeat', () => {
  it('in a check is health.E009, for the caller and in the report, and runs nothing', async () => {
    const { health } = makeHealth();
    let runs = 0;
    let inner: unknown;
    health.check('greedy', () => {
      runs += 1;
      void health.heartbeat().then((beat) => (inner = beat));
    });
    health.check('well', () => []);
    expect((await report(health)).body).toEqual({
      status: 'error',
      checks: { greedy: 'error', well: 'ok' },
      details: {
        greedy: {
          status: 'error',
          level: 40,
          messages: {
            'health.E009':
              'health.heartbeat() was called from a check or listener of the same heartbeat, so it ran no checks',
          },
        },
      },
    });
    await until(() => inner !== undefined);
    expect(inner).toMatchObject({ status: 'error', results: [{ name: 'greedy' }, { name: 'well' }] });
    expect(runs).toBe(1);
  });

  it('in a listener or a logger is health.E009', async () => {
    const { health } = makeHealth();
    const ids: string[] = [];
    health.check('a', () => []);
    health.on('heartbeatPassed', async () => ids.push(idOf(await health.heartbeat())));
    await health.heartbeat();
    await until(() => ids.length === 1);
    expect(ids).toEqual(['health.E009']);
    expect(idOf(await health.heartbeat())).toBe('ok');
  });

  it('after a listener has waited it runs, and does not keep the event loop for itself', async () => {
    const { health } = makeHealth();
    health.check('a', () => []);
    let beats = 0;
    let turns = 0;
    health.on('heartbeatPassed', async () => {
      await Promise.resolve();
      beats += 1;
      if (beats < 50) void health.heartbeat();
    });
    const turn = () => {
      turns += 1;
      if (beats < 50) setImmediate(turn);
    };
    setImmediate(turn);
    await health.heartbeat();
    await until(() => beats === 50);
    expect(turns).toBeGreaterThan(20);
  });
});
