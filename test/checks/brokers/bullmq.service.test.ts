import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStart, startService } from '../../services/index.js';
import { freePort } from '../../services/port.js';
import type { RunningService } from '../../services/service.js';
import { type Behaviour, pause, Stage, stalledAfter, worksAgain } from './stage.js';

const password = 'pl4nted-S3cret';

describe.skipIf(!canStart('redis'))('BullMQ', () => {
  let server: RunningService;
  const opened: { close(): Promise<unknown> }[] = [];

  beforeAll(async () => {
    server = await startService('redis', {
      args: ['--requirepass', password, '--appendonly', 'yes', '--appendfsync', 'always'],
    });
  });
  afterAll(async () => {
    await Promise.all(opened.map((each) => Promise.race([each.close(), pause(1000)])));
    await server?.stop();
  });

  function open(name: string, port = server.port, word = password) {
    const connection = { host: '127.0.0.1', port, password: word, retryStrategy: () => 100 };
    let behaviour: Behaviour = 'work';
    let done = 0;
    const queue = new Queue(name, { connection });
    const settings = { connection: { ...connection, maxRetriesPerRequest: null }, concurrency: 2 };
    const timing = { lockDuration: 30_000, stalledInterval: 500, maxStalledCount: 10 };
    const handle = async (job: Job) => {
      await worksAgain(() => behaviour);
      if (job.name === 'poison') throw new Error('It fails for ever');
      if (job.name === 'long') {
        for (let part = 0; part < 40; part += 1) {
          await pause(75);
          await job.updateProgress(part);
        }
      }
      done += 1;
    };
    const worker = new Worker(name, handle, { ...settings, ...timing });
    queue.on('error', () => {});
    worker.on('error', () => {});
    opened.push(worker, queue);
    return {
      queue,
      worker,
      behave: (next: Behaviour) => (behaviour = next),
      done: () => done,
      watch: (stage: Stage) => stage.watch(queue, { consumer: worker, queue, stalledAfter }, 1000),
    };
  }

  it('is seen in every state', { timeout: 180_000 }, async () => {
    const stage = new Stage('BullMQ');
    const { queue, worker, behave, done, watch: watchIn } = open('jobs');
    const watch = watchIn(stage);
    await queue.add('job', {});
    await watch.see('up', { broker: 'ok', progress: 'ok' });
    await expect.poll(done, { timeout: 10_000 }).toBe(1);

    await watch.ok(stalledAfter * 2);
    await watch.see('the queue is empty for long', { broker: 'ok', progress: 'ok' });

    await queue.add('job', {}, { delay: 3_600_000 });
    await watch.ok(stalledAfter * 2);
    await watch.see('a job is delayed for an hour', { broker: 'ok', progress: 'ok' });

    await queue.add('long', {});
    await watch.ok(stalledAfter * 2.5);
    await watch.see('a long job reports progress', { broker: 'ok', progress: 'ok' });
    await expect.poll(done, { timeout: 10_000 }).toBe(2);

    await queue.add('poison', {}, { attempts: 10_000, backoff: { type: 'fixed', delay: 50 } });
    for (let round = 0; round < 30; round += 1) {
      await queue.add('job', {});
      await watch.good();
      await pause(50);
    }
    await watch.see('a poisoned job keeps failing, others go on', { broker: 'ok', progress: 'ok' });
    await queue.obliterate({ force: true });

    await queue.pause();
    await queue.add('job', {});
    await watch.see('the queue is paused', { broker: 'ok', progress: 'health.I006' });
    await queue.resume();
    await watch.see('resumed', { broker: 'ok', progress: 'ok' });

    behave('hang');
    for (let round = 0; round < 5; round += 1) await queue.add('job', {});
    await watch.see('the worker hangs in its jobs', { broker: 'ok', progress: 'health.E036' });
    behave('work');
    await watch.see('it goes on', { broker: 'ok', progress: 'ok' });

    server.freeze();
    await watch.see('frozen', {
      broker: ['health.E012', 'health.E013', 'health.E034'],
      progress: 'health.E038',
    });
    server.thaw();
    await watch.see('thawed', { broker: 'ok', progress: 'ok' });

    behave('hang');
    await queue.add('job', {});
    await pause(200);
    await server.kill();
    await watch.see('killed during a job', { broker: 'health.E031 ECONNREFUSED', progress: 'health.E038' });
    await server.restart();
    behave('work');
    const before = done();
    await watch.see('recovered', { broker: 'ok', progress: 'ok' });
    await expect.poll(done, { timeout: 10_000 }).toBeGreaterThan(before);

    // Somebody takes the lock of a job that is under way.
    behave('hang');
    const job = await queue.add('job', {});
    await expect.poll(() => job.getState()).toBe('active');
    const admin = new Redis(server.port, '127.0.0.1', { password });
    await admin.del(`bull:jobs:${job.id ?? ''}:lock`);
    await pause(50);
    behave('work');
    await watch.see('a job lost its lock', { broker: 'ok', progress: 'health.I008' });
    admin.disconnect();

    await worker.close();
    await watch.see('the application closed the worker', { broker: 'ok', progress: 'health.E037' });

    const refused = open('jobs', await freePort());
    await refused
      .watch(stage)
      .see('refused', { broker: 'health.E031 ECONNREFUSED', progress: 'health.E038' });
    const wrong = open('jobs', server.port, 'wr0ng-S3cret');
    await wrong.watch(stage).see('wrong password', { broker: 'health.E033', progress: 'health.E038' });
    stage.expectTable();
  });
});
