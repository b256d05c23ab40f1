import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHandler } from 'lifesign';
import { Error as ErrorMessage } from 'lifesign/checks';
import { type Opinion, type OpinionContext, withScope } from '../../src/core/heartbeat/check.js';
import { Probes } from '../../src/probes/feature.js';
import { makeProbes } from './make-probes.js';

const bad = [new ErrorMessage('bad', { id: 'a.E1' })];
const works: Opinion = { scope: 'instance', evidence: 'a fresh connection works, the pool does not' };
const fails: Opinion = { scope: 'shared', evidence: 'a fresh connection fails too' };

/** Leaves no timer behind: the deadlines of this process share one. */
async function end() {
  await vi.runAllTimersAsync();
  vi.useRealTimers();
}
afterEach(async () => {
  if (vi.isFakeTimers()) await end();
});

/** A check on something, which passes until it is broken, with a second opinion that is counted. */
function dependent(said: (context: OpinionContext) => Promise<Opinion>, dependency: object = {}) {
  const state = { broken: false };
  const ask = vi.fn(said);
  const check = withScope(() => (state.broken ? bad : []), 'auto', { dependency, ask });
  return { check, ask, set: (broken: boolean) => (state.broken = broken) };
}

describe('a dependency of which there is a second opinion', () => {
  it('that only this instance has lost takes it out, and has it restarted where that is asked for', async () => {
    const { health, codes, after } = await makeProbes({ restartAfter: 5000 });
    const { check, set } = dependent(async () => works);
    health.check('db', check);
    await codes('/readyz');
    set(true);
    await after(1000);
    // The first failure is not enough: the opinion comes after it.
    expect(await codes('/readyz')).toEqual([200]);
    await after(1000);
    expect(await codes('/readyz', '/livez')).toEqual([503, 200]);
    for (let second = 0; second < 5; second += 1) {
      await after(1000);
      await codes('/readyz');
    }
    expect(await codes('/readyz', '/livez')).toEqual([503, 503]);
  });

  it('is confirmed soon, also where probes come seldom', async () => {
    const { health, codes, after } = await makeProbes();
    const { check, set } = dependent(async () => works);
    health.check('db', check);
    await codes('/readyz');
    set(true);
    await after(30_000);
    expect(await codes('/readyz')).toEqual([200]);
    await after(30_000);
    expect(await codes('/readyz')).toEqual([503]);
  });

  it('is asked once at a time, and an opinion that never comes is not waited for', async () => {
    const { health, codes, after } = await makeProbes({ secondOpinionEvery: 1000 });
    const signalled: AbortSignal[] = [];
    const { check, set, ask } = dependent(({ signal }) => {
      signalled.push(signal);
      return new Promise(() => {});
    });
    health.check('db', check);
    await codes('/readyz');
    set(true);
    for (let second = 0; second < 30; second += 1) {
      await after(1000);
      expect(await codes('/readyz')).toEqual([200]);
    }
    expect(ask).toHaveBeenCalledOnce();
    expect(signalled.map(({ aborted }) => aborted)).toEqual([true]);
    const { results } = await health.heartbeat();
    expect(results[0]).toMatchObject({ scope: 'shared', evidence: 'no second opinion within 2000 ms' });
  });

  it('shares an opinion with the other checks on it', async () => {
    const { health, codes, after } = await makeProbes();
    const pool = {};
    const one = dependent(async () => works, pool);
    const two = dependent(async () => works, pool);
    health.check('one', one.check);
    health.check('two', two.check);
    await codes('/readyz');
    one.set(true);
    two.set(true);
    for (let second = 0; second < 3; second += 1) {
      await after(1000);
      await codes('/readyz');
    }
    // The second one confirms the first.
    expect(one.ask.mock.calls.length + two.ask.mock.calls.length).toBe(2);
    const { results } = await health.heartbeat();
    expect(results.map(({ scope }) => scope)).toEqual(['instance', 'instance']);
  });

  it('is not asked more often if no opinion is confirmed', async () => {
    const { health, codes, after } = await makeProbes();
    let asked = 0;
    const { check, set, ask } = dependent(async () => (asked++ % 2 === 0 ? works : fails));
    health.check('db', check);
    await codes('/readyz');
    for (let second = 0; second < 120; second += 1) {
      // A pass between two failures: an opinion of the first says nothing of the next.
      set(second % 4 < 2);
      await after(1000);
      expect(await codes('/readyz')).toEqual([200]);
    }
    expect(ask.mock.calls.length).toBeGreaterThan(2);
    expect(ask.mock.calls.length).toBeLessThanOrEqual(13);
  });

  it('that throws counts as shared', async () => {
    const { health, codes, after, records } = await makeProbes();
    const { check, set } = dependent(() => Promise.reject(new Error('postgres://u:secret@h/db')));
    health.check('db', check);
    await codes('/readyz');
    set(true);
    for (let second = 0; second < 3; second += 1) {
      await after(1000);
      expect(await codes('/readyz')).toEqual([200]);
    }
    expect((await health.heartbeat()).results[0]?.scope).toBe('shared');
    expect(JSON.stringify(records)).not.toContain('secret');
  });

  it('whose evidence has a secret does not show it', async () => {
    const { health, ask, after } = await makeProbes();
    const { check, set } = dependent(async () => ({
      scope: 'instance',
      evidence: 'postgres://u:secret@h/db works',
    }));
    health.check('db', check);
    await ask('/readyz');
    set(true);
    for (let second = 0; second < 3; second += 1) {
      await after(1000);
      await ask('/readyz');
    }
    const { body } = await ask('/readyz?verbose');
    expect(body).toContain('[-]db failed: instance:');
    expect(body).not.toContain('secret');
  });
});

it('whatever happens, shared trouble fails neither readyz nor livez, startupz never goes back, and runs are bounded', async () => {
  const step = fc.record({
    broken: fc.boolean(),
    server: fc.constantFrom('up' as const, 'down' as const),
    wait: fc.integer({ min: 0, max: 15_000 }),
    probes: fc.integer({ min: 0, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      fc.constantFrom(0, 2000),
      async (steps, restartAfter) => {
        const { health, codes, after } = await makeProbes({ restartAfter });
        let server: 'up' | 'down' = 'up';
        let broken = false;
        let runs = 0;
        const seen = async () => (server === 'up' ? works : fails);
        const check = withScope(
          () => {
            runs += 1;
            return broken || server === 'down' ? bad : [];
          },
          'auto',
          { dependency: {}, ask: seen },
        );
        health.check('db', check);
        expect(await codes('/startupz', '/readyz', '/livez')).toEqual([200, 200, 200]);
        let everBroken = false;
        const start = performance.now();
        for (const { wait, probes, ...next } of steps) {
          ({ server, broken } = next);
          everBroken ||= broken;
          await after(wait);
          for (let probe = 0; probe < probes; probe += 1) {
            const [started, ready, live] = await codes('/startupz', '/readyz', '/livez');
            expect(started).toBe(200);
            // Nothing but its own trouble takes it out, and nothing but that restarts it.
            if (!everBroken) expect([ready, live]).toEqual([200, 200]);
            if (restartAfter === 0) expect(live).toBe(200);
          }
        }
        expect(runs).toBeLessThanOrEqual((performance.now() - start) / 1000 + 2);
        health.close();
        await end();
      },
    ),
    { numRuns: 25 },
  );
}, 20_000);

it('of a process that was busy itself, an opinion does not say whether it reached the dependency', async () => {
  const { health } = createHandler({ probes: { peers: 'fleet:1' }, logger: false });
  health.close();
  const verdictOf = async (isBusy: boolean, opinion: Opinion) => {
    const secondOpinion = { dependency: {}, ask: async () => opinion };
    const check = { name: 'db', scope: 'auto', secondOpinion };
    const nothing = () => {};
    const host = { checks: () => [check], draining: () => false, log: nothing, emitVerdict: nothing };
    const transport = { resolve: async () => [], get: async () => '', watchDelay: () => () => isBusy };
    const probes = new Probes(host as never, health.options.probes as never, { transport });
    probes.onHeartbeat({ results: [{ name: 'db', failed: true, run: 1, duration: 1 }] } as never);
    await expect.poll(() => probes.verdictOf('db')).toBeDefined();
    probes.close();
    return probes.verdictOf('db');
  };
  const unreached = { scope: 'shared', evidence: 'a fresh connection fails too', unreached: true } as const;
  expect(await verdictOf(false, unreached)).toEqual(unreached);
  const evidence = `${unreached.evidence}; this process was too busy to know why`;
  expect(await verdictOf(true, unreached)).toEqual({ scope: 'shared', evidence });
  // What the server said is not a matter of time.
  const returned = { scope: 'shared', evidence: 'connections are being returned' } as const;
  expect(await verdictOf(true, returned)).toEqual(returned);
});
