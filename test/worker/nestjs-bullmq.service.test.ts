import { BullModule, getQueueToken, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Health, HealthModule } from 'lifesign/nestjs';
import { job as runJob, requestId } from 'lifesign/worker';
import { until } from '../core/waiting.js';
import { collect } from '../http/serving.js';
import { canStart, startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';

describe.skipIf(!canStart('redis'))('an application context with @nestjs/bullmq', () => {
  let server: RunningService;
  beforeAll(async () => {
    server = await startService('redis');
  });
  afterAll(async () => server?.stop());

  test('its queue is checked by its token; on a signal its workers take no more, and every job is done or still waits', async () => {
    const { logger, records } = collect();
    const done: string[] = [];
    class Mailer extends WorkerHost {
      readonly #health: Health;
      constructor(health: Health) {
        super();
        this.#health = health;
      }
      process(job: Job) {
        return runJob(this.#health, job.name, job.id, async () => {
          await new Promise((resolve) => setTimeout(resolve, 50));
          done.push(String(requestId()));
        });
      }
    }
    Processor('mail', { concurrency: 4 })(Mailer);
    Inject(Health)(Mailer, undefined, 0);
    const { hostname, port } = new URL(server.url);
    class App {}
    Module({
      imports: [
        BullModule.forRoot({ connection: { host: hostname, port: Number(port) } }),
        BullModule.registerQueue({ name: 'mail' }),
        HealthModule.forRoot({
          BASE_DIR: process.cwd(),
          healthPort: 0,
          logger: logger,
          HEALTH_CHECKS: ['lifesign/checks.checkBrokerConnected'],
          broker: getQueueToken('mail'),
        }),
      ],
      providers: [Mailer],
    })(App);
    const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
    // On a busy machine, connecting takes longer than the timeout of a check.
    const statuses = async () =>
      (await app.get(Health).heartbeat()).results.map(({ name, status }) => [name, status]);
    await expect.poll(statuses, { timeout: 30_000 }).toEqual([['check_broker_connected', 'ok']]);

    const queue = app.get<Queue>(getQueueToken('mail'));
    const ids = Array.from({ length: 40 }, (_, index) => `m${index + 1}`);
    await queue.addBulk(ids.map((jobId) => ({ name: 'welcome', data: {}, opts: { jobId } })));
    await until(() => done.length > 8);
    // What Nest does on a signal, without the end of the process.
    const hook: unknown = Reflect.get(app, 'callBeforeShutdownHook');
    if (typeof hook !== 'function') throw new Error('Nest has changed');
    await Reflect.apply(hook, app, ['SIGTERM']);
    expect(app.get(Mailer).worker.isRunning()).toBe(false);
    const summaries = records.filter((record) => record.logger === 'job.summary');
    expect(summaries.map(({ fields }) => fields['id']).toSorted()).toEqual(done.toSorted());
    expect(summaries.every(({ fields }) => fields['errno'] === 0)).toBe(true);
    await app.close();

    const redis = new Redis(server.url);
    const waiting = await redis.lrange('bull:mail:wait', 0, -1);
    const active = await redis.llen('bull:mail:active');
    redis.disconnect();
    expect(active).toBe(0);
    expect(waiting.length).toBeGreaterThan(0);
    expect([...done, ...waiting].toSorted()).toEqual(ids.toSorted());
  });
});
