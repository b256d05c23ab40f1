// Generated orders of events, as the library emits them by its source.
import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kafkaConsumer as kafka } from '../../../src/checks/brokers/kafka.js';
import { adapt, looking, settings } from './looking.js';

describe('a consumer of kafkajs', () => {
  const events = Object.fromEntries(
    'HEARTBEAT GROUP_JOIN START_BATCH_PROCESS END_BATCH_PROCESS REBALANCING CRASH STOP DISCONNECT'
      .split(' ')
      .map((name) => [name, `consumer.${name.toLowerCase()}`]),
  ) as Record<string, string> & { GROUP_JOIN: string; HEARTBEAT: string };
  const step = fc.record({
    does: fc.constantFrom('start', 'start', 'end', 'heartbeat', 'rebalance', 'rebalance', 'crash'),
    partition: fc.nat(2),
    assigned: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 2 }),
    size: fc.integer({ min: 1, max: 5 }),
    lag: fc.nat(5),
  });

  it('has the lag of its own partitions, and is stopped from a crash or stop until it joins', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const consumer = Object.assign(new EventEmitter(), {
          events,
          paused: () => [],
          describeGroup: async () => ({}),
        });
        const look = await looking(adapt(kafka, consumer, settings()));
        const tell = (name: string, payload: object = {}) => consumer.emit(events[name] ?? '', { payload });
        let own: readonly number[] = [];
        const lags = new Map<number, number>();
        const batches = new Map<number, number>();
        const join = (partitions: readonly number[]) => {
          own = partitions;
          lags.clear();
          tell('GROUP_JOIN', { memberAssignment: { jobs: partitions } });
        };
        join([0, 1, 2]);
        for (const { does, partition, assigned, size, lag } of steps) {
          let isDone = false;
          let isStopped = false;
          const batch = { topic: 'jobs', partition, offsetLag: String(lag), batchSize: size };
          if (does === 'start' && own.includes(partition) && !batches.has(partition)) {
            batches.set(partition, lag);
            lags.set(partition, lag + size);
            tell('START_BATCH_PROCESS', batch);
          } else if (does === 'end' && batches.has(partition)) {
            const left = batches.get(partition) ?? 0;
            batches.delete(partition);
            lags.set(partition, left);
            tell('END_BATCH_PROCESS', { ...batch, offsetLag: String(left) });
            isDone = true;
          } else if (does === 'heartbeat') {
            tell('HEARTBEAT');
            isDone = true;
          } else if (does === 'rebalance') {
            // Batches of other workers may still run.
            tell('REBALANCING');
            join(assigned);
          } else if (does === 'crash') {
            batches.clear();
            tell('STOP');
            tell('DISCONNECT');
            if (lag > 0) tell('CRASH', { error: new Error('x'), restart: true });
            isStopped = true;
          }
          const pending = own.reduce((sum, each) => sum + (lags.get(each) ?? 0), 0);
          const seen = await look();
          expect(seen).toMatchObject({ isDone, failed: 0, pending });
          expect(seen.stopped !== undefined).toBe(isStopped);
          if (isStopped) join(assigned);
          if (isStopped) await look();
        }
      }),
    );
  });
});
