// Generated orders of events, as the library emits them by its source.
import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bullmqConsumer as bullmq } from '../../../src/checks/brokers/bullmq.js';
import { adapt, looking, settings } from './looking.js';

describe('a worker of BullMQ', () => {
  // Only completed and failed jobs have an event for their end; one whose lock was lost has errors.
  const ending = fc.constantFrom('completed', 'retry', 'last', 'unrecoverable', 'givenBack', 'lockLost');
  const step = fc.record({ id: fc.nat(4), ending, reports: fc.boolean(), waiting: fc.nat(3) });

  it.each([true, false])(
    'has as much in progress as it processes, whatever ends it; it counts: %j',
    async (counts) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
          const running = new Set<string>();
          const lockManager = { getActiveJobCount: () => running.size };
          const worker = Object.assign(
            new EventEmitter().on('error', () => {}),
            {
              name: 'jobs',
              isRunning: () => true,
              isPaused: () => false,
              waitUntilReady: async () => {},
              ...(counts && { lockManager }),
            },
          );
          let waiting = 0;
          const queue = {
            getJobCounts: async () => ({ waiting, active: running.size }),
            isPaused: async () => false,
          };
          const look = await looking(adapt(bullmq, worker, { ...settings(), queue }));
          for (const { id: number, ending: end, reports, waiting: left } of steps) {
            waiting = left;
            const id = String(number);
            let isDone = false;
            let failed = 0;
            if (running.has(id)) {
              running.delete(id);
              if (end === 'completed') worker.emit('completed', { id });
              if (end === 'retry') worker.emit('failed', { id, attemptsMade: 1, opts: { attempts: 3 } });
              if (end === 'last') worker.emit('failed', { id, attemptsMade: 3, opts: { attempts: 3 } });
              if (end === 'unrecoverable')
                worker.emit('failed', { id, attemptsMade: 1, finishedOn: 5, opts: { attempts: 3 } });
              if (end === 'lockLost')
                worker.emit('error', new Error(`Missing lock for job ${id}. moveToFinished`));
              isDone = ['completed', 'last', 'unrecoverable'].includes(end);
              failed = Number(end === 'retry');
            } else {
              running.add(id);
              worker.emit('active', { id });
              if (reports) worker.emit('progress', { id }, 50);
              isDone = reports;
            }
            expect(await look()).toMatchObject({ isDone, failed, pending: waiting + running.size });
          }
        }),
      );
    },
  );
});
