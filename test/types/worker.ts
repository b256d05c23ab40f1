// Wrong use does not compile: each line below `@ts-expect-error` is one, and tsc (npm run typecheck) fails where it is none.
import { createServer } from 'node:http';
import type { Worker } from 'node:worker_threads';
import { type Drain, drainOnSignals, Health, job, type Listening, noteError } from 'lifesign/worker';
import { Health as NodeHealth } from 'lifesign/node';

const health = new Health({ port: 0, file: '/tmp/healthy', every: 5000, probes: true, metrics: true });
new Health();
new Health({ file: '/run/healthy', failLevel: 'error' });

const place: Promise<Listening> = health.listening();
void place.then(({ port, file }): (string | number | undefined)[] => [port, file]);

const given: Promise<number> = health.job('mail', '7', () => 5, { attempt: 2, requestId: 'night-1' });
const awaited: Promise<string> = health.job('mail', 7n, async ({ id, signal }) => (signal.aborted ? '' : id));
void [given, awaited];
void health.job('mail', undefined, (running) => noteError(running, new Error('boom')));
// @ts-expect-error a job has a function
void health.job('mail', '7');
void job(new NodeHealth(), 'mail', 7, () => {});
// @ts-expect-error a Health comes first
void job('mail', 7, () => {});

declare const queueWorker: { close(): Promise<void> };
declare const thread: Worker;
const drain: Drain = drainOnSignals(health, {
  stop: [queueWorker, () => thread.terminate(), { stop: () => {} }, { cancelAll: async () => {} }],
  timeout: 20_000,
  onShutdown: [() => {}],
});
void drain.start();
drainOnSignals(health, { stop: queueWorker });
// @ts-expect-error a worker has no load balancer to wait for
drainOnSignals(health, { delay: 5000 });
// @ts-expect-error a server is drained by lifesign/drain
drainOnSignals(health, { server: createServer() });
// @ts-expect-error it must have a way to stop
drainOnSignals(health, { stop: { pause: () => {} } });
