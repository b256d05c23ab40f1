import { call, property } from '../client.js';
import { type Consumer, type ConsumerSettings, type Seen, Tally } from './consumer.js';
import type { TemporalWorker } from './worker-shapes.js';

/** Why a worker in this state takes no tasks. */
const states: Readonly<Record<string, string>> = {
  INITIALIZED: 'the application has not run it',
  STOPPED: 'it is stopped',
  STOPPING: 'it is shutting down',
  DRAINING: 'it is shutting down',
  DRAINED: 'it is shutting down',
  FAILED: 'it failed',
};

/** A worker of Temporal shows its state and how many tasks are in progress. Temporal itself times out an activity that sends heartbeats. */
export function temporal(worker: TemporalWorker, { life }: ConsumerSettings): Consumer {
  const tally = new Tally();
  for (const name of ['numInFlightActivities$', 'numInFlightActivations$']) {
    life.whileOpen(() => {
      let before = 0;
      const subscription = call(property(worker, name), 'subscribe', (count: unknown) => {
        const now = Number(count);
        if (now < before) tally.done();
        before = now;
      });
      life.onClose(() => void call(subscription, 'unsubscribe'));
    });
  }
  return {
    look(): Seen {
      const stopped = states[worker.getState()];
      if (stopped !== undefined) return { ...tally.seen, stopped };
      const { numInFlightActivities, numInFlightWorkflowActivations, numHeartbeatingActivities } =
        worker.getStatus();
      const silent = Math.max(0, numInFlightActivities - numHeartbeatingActivities);
      return { ...tally.seen, pending: silent + numInFlightWorkflowActivations };
    },
  };
}
