import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Heartbeat, type Level, statusOf } from 'lifesign';
import { Error as ErrorMessage, Info, Warning } from 'lifesign/checks';
import { History } from '../../src/page/history.js';
import { makeHealth } from '../core/make-health.js';

const kinds = { 20: Info, 30: Warning, 40: ErrorMessage } as const;
type Outcome = 0 | keyof typeof kinds;

/** A heartbeat in which each check came to this level. */
function beat(outcomes: Readonly<Record<string, Outcome>>, duration = 1): Heartbeat {
  const results = Object.entries(outcomes).map(([name, level]) => ({
    name,
    key: JSON.stringify(name),
    level,
    status: statusOf(level),
    failed: level >= 30,
    messages: level === 0 ? [] : [new kinds[level](`${name} is ${statusOf(level)}`, { id: 'a.1' })],
    duration,
    run: 1,
    mark: { announced: false },
  }));
  const level = results.reduce<Level>((worst, one) => (one.level > worst ? one.level : worst), 0);
  return { level, status: statusOf(level), failed: level >= 30, results };
}

describe('History', () => {
  test('keeps each transition with its cause and the report as it was', () => {
    const history = new History();
    history.record(beat({ db: 0, disk: 0 }), 1000);
    history.record(beat({ db: 40, disk: 0 }), 2000);
    history.record(beat({ db: 40, disk: 30 }), 3000);
    history.record(beat({ db: 40, disk: 30 }), 4000);
    history.record(beat({ db: 0, disk: 0 }), 5000);
    const short = history.transitions.map(({ at, from, to, changes }) => [
      at,
      from,
      to,
      changes.map((change) => `${change.name} ${change.from} ${change.to}`),
    ]);
    expect(short).toEqual([
      [5000, 'error', 'ok', ['db error ok', 'disk warning ok']],
      [3000, 'error', 'error', ['disk ok warning']],
      [2000, 'ok', 'error', ['db ok error']],
      [1000, undefined, 'ok', []],
    ]);
    const [recovered, , failed] = history.transitions;
    expect(JSON.parse(failed?.report ?? '')).toEqual({
      status: 'error',
      checks: { db: 'error', disk: 'ok' },
      details: { db: { status: 'error', level: 40, messages: { 'a.1': 'db is error' } } },
    });
    expect(recovered?.report).toBeUndefined();
  });

  test('counts a heartbeat that requests shared once', () => {
    const history = new History();
    const first = beat({ db: 0 });
    history.record(first, 1000);
    history.record(first, 1001);
    expect(history.beats).toBe(1);
    expect(history.checks[0]?.results).toEqual([0]);
  });

  test('counts a run whose result was served again once, as the cache gives it', async () => {
    const { health } = makeHealth({ cacheFor: 60_000 });
    const history = new History();
    let runs = 0;
    health.check('db', () => {
      runs += 1;
    });
    for (let time = 0; time < 4; time += 1) history.record(await health.heartbeat());
    health.close();
    expect(runs).toBe(1);
    expect(history.beats).toBe(4);
    expect(history.checks[0]?.results).toEqual([0]);
  });

  test('forgets checks that are gone', () => {
    const history = new History();
    history.record(beat({ db: 0, disk: 0 }));
    history.record(beat({ disk: 0 }));
    expect(history.checks.map(({ last }) => last.name)).toEqual(['disk']);
  });

  test('percentiles are those of the durations it kept', () => {
    const history = new History();
    for (let ms = 1; ms <= 100; ms += 1) history.record(beat({ db: 0 }, ms));
    const percentiles = () => [0.5, 0.99].map((share) => history.checks[0]?.percentile(share));
    expect(percentiles()).toEqual([50, 99]);
    for (let times = 0; times < 200; times += 1) history.record(beat({ db: 0 }, 7));
    expect(percentiles()).toEqual([7, 7]);
  });

  test('whatever happens, the memory is bounded and the order kept', () => {
    const outcome = fc.constantFrom<Outcome>(0, 20, 30, 40);
    fc.assert(
      fc.property(fc.array(outcome, { minLength: 1, maxLength: 700, size: 'max' }), (outcomes) => {
        const history = new History();
        outcomes.forEach((level, at) => history.record(beat({ db: level }), at));
        expect(history.checks[0]?.results).toEqual(outcomes.slice(-200));
        const changed = outcomes.flatMap((level, at) => (at === 0 || outcomes[at - 1] !== level ? at : []));
        expect(history.transitions.map(({ at }) => at)).toEqual(changed.toReversed().slice(0, 50));
        let since = outcomes.length - 1;
        while (since > 0 && outcomes[since - 1] === outcomes[since]) since -= 1;
        expect(history.state?.since).toBe(since);
        expect(history.checks[0]?.since).toBe(since);
      }),
      { numRuns: 50 },
    );
  });

  test('a report of a thousand failing checks is cut', () => {
    const history = new History();
    history.record(
      beat(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`check ${index}`, 40]))),
    );
    expect(history.transitions[0]?.report).toHaveLength(16_384);
  });
});
