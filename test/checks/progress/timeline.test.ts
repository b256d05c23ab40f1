import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Timeline } from '../../../src/checks/progress/timeline.js';

/** What happens to a queue, and when somebody looks. */
type Step =
  | { readonly does: 'arrive' | 'finish' | 'pause' | 'resume' | 'look' }
  | { readonly does: 'wait'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 400 }) }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('look' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constantFrom('arrive' as const, 'finish' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('pause' as const, 'resume' as const) }) },
);
const steps = fc.array(step, { minLength: 1, maxLength: 120 });

const stalledAfter = 1000;

/** The queue as it really is: since when there is work that is not paused and none of it is done. */
class Queue {
  now = 0;
  pending = 0;
  done = 0;
  paused = false;
  silentSince: number | undefined;

  take(given: Step): void {
    if (given.does === 'wait') this.now += given.ms;
    if (given.does === 'arrive') this.pending += 1;
    if (given.does === 'pause') this.paused = true;
    if (given.does === 'resume') this.paused = false;
    if (given.does === 'finish' && this.pending > 0) {
      this.pending -= 1;
      this.done += 1;
      this.silentSince = undefined;
    }
    if (this.pending === 0 || this.paused) this.silentSince = undefined;
    else this.silentSince ??= this.now;
  }

  get silence(): number {
    return this.silentSince === undefined ? 0 : this.now - this.silentSince;
  }

  look(timeline: Timeline) {
    const { now, pending, done, paused } = this;
    return timeline.add(now, { pending, mark: done, paused });
  }
}

/** The longest time between two looks, the end included. */
function widestGap(given: readonly Step[]): number {
  let gap = 0;
  let widest = 0;
  for (const each of given) {
    if (each.does === 'wait') gap += each.ms;
    if (each.does === 'look') gap = 0;
    widest = Math.max(widest, gap);
  }
  return widest;
}

describe('a timeline', () => {
  it('never takes idle, paused or working for stuck, whenever it is looked at', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const queue = new Queue();
        const timeline = new Timeline(stalledAfter);
        for (const each of given) {
          // A pause that nobody saw is silence to whoever looks: it is left out of this promise.
          if (each.does === 'pause' || each.does === 'resume') queue.look(timeline);
          queue.take(each);
          if (each.does === 'pause' || each.does === 'resume') queue.look(timeline);
          if (each.does !== 'look') continue;
          const { state, silence } = queue.look(timeline);
          if (state === 'stalled') {
            expect(queue.silence).toBeGreaterThanOrEqual(stalledAfter);
            expect(silence).toBeLessThanOrEqual(queue.silence);
          }
          expect(state === 'idle').toBe(queue.pending === 0 && !queue.paused);
          expect(state === 'paused').toBe(queue.paused);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('tells every stall, one look after its time at the latest', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const queue = new Queue();
        const timeline = new Timeline(stalledAfter);
        const gap = widestGap(given);
        for (const each of given) {
          queue.take(each);
          if (each.does !== 'look') continue;
          const { state } = queue.look(timeline);
          if (queue.silence >= stalledAfter + gap) expect(state).toBe('stalled');
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is not stuck by a long job that reports progress, and is when the reports end', () => {
    const timeline = new Timeline(stalledAfter);
    const states: string[] = [];
    for (let second = 0; second < 40; second += 1) {
      const mark = Math.min(second, 30);
      states.push(timeline.add(second * 500, { pending: 1, mark, paused: false }).state);
    }
    expect(states.slice(0, 32)).toEqual(Array.from({ length: 32 }, () => 'working'));
    expect(states.slice(32)).toEqual(Array.from({ length: 8 }, () => 'stalled'));
  });
});
