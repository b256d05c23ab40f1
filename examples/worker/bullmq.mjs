// A BullMQ worker: npm run build && REDIS_URL=redis://127.0.0.1:6379 node examples/worker/bullmq.mjs
//   curl localhost:8000/__heartbeat__
//   kill PID          takes no more jobs, finishes those it has, then exits with 0
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { checks, drainOnSignals, Health, requestId } from 'lifesign/worker';

const name = process.env.QUEUE ?? 'mail';
const connection = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', {
  maxRetriesPerRequest: null,
});
// BullMQ also reports lost connections here.
connection.on('error', () => {});

const health = new Health({ redis: connection, probes: true });
const queue = new Queue(name, { connection });

async function send({ to, takes = 10 }) {
  if (to === undefined) throw new Error('no recipient');
  await new Promise((resolve) => setTimeout(resolve, takes));
  return `sent to ${to} by ${requestId()}`;
}

const worker = new Worker(
  name,
  (job) =>
    health.job(job.name, job.id, () => send(job.data), {
      attempt: job.attemptsMade + 1,
      // The log lines of a request and of the job that it started then share one id.
      requestId: job.data.requestId,
    }),
  { connection, concurrency: 5 },
);
worker.on('error', () => {});

// /livez fails when jobs hang: the platform restarts the worker, and the queue gets them back.
health.check(name, checks.progress({ consumer: worker, queue, stalledAfter: '1m' }), { restartAfter: '1m' });

// Resolves when the worker has finished its jobs.
drainOnSignals(health, { stop: worker, onShutdown: [() => queue.close(), () => connection.quit()] });
await health.listening();
