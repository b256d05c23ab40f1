// Generated orders of events, as the library emits them by its source.
import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pgBossConsumer as pgBoss } from '../../../src/checks/brokers/pg-boss.js';
import { adapt, looking, settings } from './looking.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

describe('pg-boss', () => {
  const step = fc.record({
    does: fc.constantFrom('fetch', 'fetch', 'end', 'end', 'wait'),
    worker: fc.nat(1),
    count: fc.nat(3),
    due: fc.nat(3),
    time: fc.integer({ min: 1, max: 5000 }),
  });

  it.each([10, 12])('has done something when a worker has, version %i', async (version) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const workers = ['a', 'b'].map((id) => ({
          id,
          name: 'jobs',
          count: 0,
          lastJobStartedOn: null as number | null,
          lastJobEndedOn: null as number | null,
        }));
        const wip = () => workers.map((worker) => ({ ...worker }));
        let waiting = 0;
        const db = { executeSql: async () => ({ rows: [{ count: String(waiting) }] }) };
        const boss = Object.assign(new EventEmitter(), {
          work: async () => '',
          offWork: async () => {},
          send: async () => null,
          getDb: () => db,
          ...(version === 12 && { getWipData: wip }),
        });
        const look = await looking(adapt(pgBoss, boss, { ...settings(), queue: 'jobs' }));
        let toldAt = Date.now();
        const tell = () => {
          if (Date.now() - toldAt <= 2000) return false;
          boss.emit('wip', wip());
          toldAt = Date.now();
          return true;
        };
        let isHidden = false;
        for (const { does, worker: at, count, due, time } of steps) {
          vi.advanceTimersByTime(time);
          waiting = due;
          const worker = workers[at];
          if (worker === undefined) continue;
          let isChanged = false;
          let isTold = false;
          if (does === 'fetch' && worker.count === 0) {
            // pg-boss sets the time of a start also for a fetch without jobs, which ends at once.
            Object.assign(worker, { count, lastJobStartedOn: Date.now() });
            if (count > 0) isTold = tell();
            else worker.lastJobEndedOn = Date.now();
            isChanged = true;
          } else if (does === 'end' && worker.count > 0) {
            // Told of before the worker notes the end.
            isTold = tell();
            Object.assign(worker, { count: 0, lastJobEndedOn: Date.now() });
            isChanged = true;
          }
          const { isDone, pending } = await look();
          if (version === 12) {
            expect(isDone).toBe(isChanged);
            expect(pending).toBe(due + workers.reduce((sum, each) => sum + each.count, 0));
          } else {
            // Nothing is done that no worker did; what was not told of is seen later.
            if (isDone) expect(isChanged || isHidden).toBe(true);
            expect(pending).toBe(due);
          }
          isHidden = isTold ? does === 'end' : isHidden || isChanged;
        }
      }),
    );
  });
});
