import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Opinion, Scope } from '../../src/core/heartbeat/check.js';
import { settling } from '../../src/probes/limits.js';
import { Track, type TrackRules } from '../../src/probes/track.js';

const usual: TrackRules = {
  scope: 'auto',
  hasOpinion: true,
  failureThreshold: 1,
  successThreshold: 1,
  restartAfter: 0,
};
const wedged: Opinion = { scope: 'instance', evidence: 'a fresh connection works' };
const down: Opinion = { scope: 'shared', evidence: 'a fresh connection fails too' };

/** A track and a clock that goes on by a second with each step. */
function follow(rules: Partial<TrackRules> = {}) {
  const track = new Track({ ...usual, ...rules });
  let now = 0;
  const step = (then: () => void, ms = 1000) => {
    now += ms;
    then();
  };
  return {
    track,
    now: () => now,
    pass: (ms?: number) => step(() => track.record(false, now), ms),
    fail: (ms?: number) => step(() => track.record(true, now), ms),
    hear: (opinion: Opinion, askedAt?: number) => track.hear(opinion, askedAt ?? now, now),
  };
}

describe('a check that never passed', () => {
  it.each(['auto', 'instance'] as const)('keeps its instance out: %s', (scope) => {
    const { track, fail, pass, hear } = follow({ scope, failureThreshold: 5 });
    expect(track.holdsReady).toBe(true);
    fail();
    hear(down);
    expect(track.holdsReady).toBe(true);
    pass();
    expect(track.holdsReady).toBe(false);
  });

  it('does not where its trouble is shared by its scope', () => {
    const { track, fail } = follow({ scope: 'shared' });
    expect(track.holdsReady).toBe(false);
    fail();
    expect(track.holdsReady).toBe(false);
    expect(track.verdict).toEqual({ scope: 'shared', evidence: 'by its scope' });
  });
});

describe('when it is known to fail without a break', () => {
  it('is since the first run that failed was over, or since the last one began', () => {
    const { track, pass } = follow();
    expect(track.failsFrom).toBeUndefined();
    pass();
    track.record(true, 7000, 2000);
    expect(track.failsFrom).toBe(7000);
    // One that began before counts from the end of the first.
    track.record(true, 8000, 6500);
    expect(track.failsFrom).toBe(7000);
    // Between two runs the dependency may have been back for all.
    track.record(true, 18_000, 13_000);
    expect([track.failsFrom, track.failedSince]).toEqual([13_000, 7000]);
    pass();
    expect(track.failsFrom).toBeUndefined();
  });
});

describe('a second opinion', () => {
  it('makes it the trouble of this instance only when the check fails once more, and another says the same after that', () => {
    const { track, pass, fail, hear, now } = follow();
    pass();
    fail();
    expect(track.wantsOpinion).toBe(true);
    hear(wedged);
    expect([track.holdsReady, track.failedAgainAt]).toEqual([false, undefined]);
    fail();
    // What it said before is not evidence of what happened since.
    hear(wedged, now() - 500);
    expect([track.holdsReady, track.verdict, track.failedAgainAt]).toEqual([false, undefined, now()]);
    hear(wedged);
    expect([track.holdsReady, track.verdict]).toEqual([true, wedged]);
  });

  it('is not confirmed by a run that began before it: the server may have come back since', () => {
    const { track, pass, fail, hear, now } = follow();
    pass();
    fail();
    hear(wedged);
    track.record(true, now() + 500, now() - 500);
    track.hear(wedged, now() + 500, now() + 500);
    expect([track.holdsReady, track.verdict]).toEqual([false, undefined]);
    track.record(true, now() + 1500, now() + 500);
    track.hear(wedged, now() + 1500, now() + 1500);
    expect([track.holdsReady, track.verdict]).toEqual([true, wedged]);
  });

  it('that it is shared takes an instance in again', () => {
    const { track, pass, fail, hear } = follow();
    pass();
    fail();
    hear(wedged);
    fail();
    hear(wedged);
    expect(track.holdsReady).toBe(true);
    hear(down);
    expect([track.holdsReady, track.verdict]).toEqual([false, down]);
  });

  it('that it is its own after trouble that all shared leaves it time to come back', () => {
    const { track, pass, fail, hear } = follow();
    pass();
    fail();
    hear(down);
    fail();
    hear(wedged);
    for (let ms = 1000; ms <= settling; ms += 1000) {
      expect([track.holdsReady, track.verdict?.scope]).toEqual([false, 'shared']);
      fail();
      // Asked again and again: the time does not begin anew.
      hear({ ...wedged });
    }
    expect([track.holdsReady, track.verdict]).toEqual([true, wedged]);
  });

  it('that cannot be had makes it shared', () => {
    const { track, pass, fail } = follow({ hasOpinion: false });
    pass();
    fail();
    expect(track.holdsReady).toBe(false);
    expect(track.verdict?.scope).toBe('shared');
  });
});

describe('restartAfter', () => {
  it('starts anew when nobody asked for long', () => {
    const { track, pass, fail, now } = follow({ scope: 'instance', restartAfter: 5000 });
    pass();
    fail();
    fail(600_000);
    expect(track.isWedged(now())).toBe(false);
    fail(6000);
    expect(track.isWedged(now())).toBe(true);
    expect(track.isWedged(now() + 600_000)).toBe(false);
  });
});

type Event =
  | { readonly kind: 'run'; readonly failed: boolean; readonly after: number }
  | { readonly kind: 'opinion'; readonly scope: 'instance' | 'shared'; readonly late: boolean };

const events: fc.Arbitrary<Event[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('run' as const),
      failed: fc.boolean(),
      after: fc.integer({ min: 1, max: 200_000 }),
    }),
    fc.record({
      kind: fc.constant('opinion' as const),
      scope: fc.constantFrom('instance' as const, 'shared' as const),
      late: fc.boolean(),
    }),
  ),
  { maxLength: 60 },
);
const thresholds = {
  failureThreshold: fc.integer({ min: 1, max: 5 }),
  successThreshold: fc.integer({ min: 1, max: 5 }),
  restartAfter: fc.constantFrom(0, 1, 5000, 60_000),
};
const rules: fc.Arbitrary<TrackRules> = fc.record({
  ...thresholds,
  scope: fc.constantFrom<Scope[]>('instance', 'shared', 'auto'),
  hasOpinion: fc.boolean(),
});

/** Plays events, and calls `seen` after each. */
function play(
  given: TrackRules,
  all: readonly Event[],
  seen: (track: Track, now: number, event: Event) => void,
) {
  const track = new Track(given);
  let now = 0;
  let before = 0;
  for (const event of all) {
    if (event.kind === 'run') {
      before = now;
      now += event.after;
      track.record(event.failed, now);
    } else track.hear({ scope: event.scope, evidence: 'e' }, event.late ? before : now, now);
    seen(track, now, event);
  }
}

describe('whatever the sequence of results and opinions', () => {
  it('shared trouble never fails livez, and readyz only before a first success', () => {
    fc.assert(
      fc.property(rules, events, (given, all) => {
        play(given, all, (track, now) => {
          if (track.verdict?.scope === 'shared') {
            expect(track.isWedged(now)).toBe(false);
            expect(track.holdsReady && track.passedOnce).toBe(false);
          }
          if (given.scope === 'shared')
            expect([track.holdsReady, track.isWedged(now)]).toEqual([false, false]);
          if (given.scope === 'auto' && !given.hasOpinion) expect(track.isWedged(now)).toBe(false);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('livez fails only after a success, with readyz, and for trouble of this instance', () => {
    fc.assert(
      fc.property(rules, events, (given, all) => {
        play(given, all, (track, now) => {
          if (!track.isWedged(now)) return;
          expect([track.passedOnce, track.holdsReady, track.verdict?.scope]).toEqual([
            true,
            true,
            'instance',
          ]);
          expect(given.restartAfter).toBeGreaterThan(0);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('an instance that has been ready leaves only when two opinions say so, with a failed run between', () => {
    const auto = fc.record({
      ...thresholds,
      scope: fc.constant<Scope>('auto'),
      hasOpinion: fc.constant(true),
    });
    fc.assert(
      fc.property(auto, events, (given, all) => {
        // Of the failures in a row: `r` for a run, `i` for an opinion of this instance, `s` for one that all share.
        let order = '';
        const inOrder = all.filter((event) => event.kind === 'run' || !event.late);
        play(given, inOrder, (track, _now, event) => {
          if (event.kind === 'run') order = event.failed ? `${order}r` : '';
          else order += event.scope === 'instance' ? 'i' : 's';
          if (track.isOut && track.verdict !== undefined) expect(order).toMatch(/i[ri]*r[ri]*i[ri]*$/);
        });
      }),
      { numRuns: 500 },
    );
  });
});
