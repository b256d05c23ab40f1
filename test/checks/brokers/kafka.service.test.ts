import { type Consumer, Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStart, startService } from '../../services/index.js';
import { freePort } from '../../services/port.js';
import type { RunningService } from '../../services/service.js';
import { type Behaviour, pause, Stage, stalledAfter, worksAgain } from './stage.js';

const topic = 'jobs';

// The mock cluster of librdkafka: it has no passwords, and other ports when it is started again.
describe.skipIf(!canStart('kafka'))('Kafka', () => {
  let server: RunningService;
  const opened: { disconnect(): Promise<void> }[] = [];

  beforeAll(async () => {
    server = await startService('kafka');
  });
  afterAll(async () => {
    await Promise.all(opened.map((each) => Promise.race([each.disconnect(), pause(1000)])));
    await server?.stop();
  });

  const kafkaAt = (port: number) =>
    new Kafka({
      brokers: [`127.0.0.1:${port}`],
      logLevel: logLevel.NOTHING,
      connectionTimeout: 500,
      requestTimeout: 1500,
      retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 200 },
    });

  it('is seen in every state, on a mock cluster', { timeout: 180_000 }, async () => {
    const stage = new Stage('Kafka');
    const kafka = kafkaAt(server.port);
    const producer = kafka.producer();
    const admin = kafka.admin();
    opened.push(producer, admin);
    await producer.connect();
    await admin.connect();
    let behaviour: Behaviour = 'work';
    let done = 0;
    const consume = async (): Promise<Consumer> => {
      const consumer = kafka.consumer({
        groupId: 'workers',
        sessionTimeout: 6000,
        heartbeatInterval: 200,
        maxWaitTimeInMs: 200,
        retry: { retries: 1, initialRetryTime: 100 },
      });
      opened.push(consumer);
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      return consumer;
    };
    const run = (consumer: Consumer) =>
      consumer.run({
        eachMessage: async ({ message, heartbeat }) => {
          await worksAgain(() => behaviour);
          if (message.value?.toString() === 'long') {
            for (let part = 0; part < 30; part += 1) {
              await pause(100);
              await heartbeat();
            }
          }
          if (message.value?.toString() === 'crash' && behaviour === 'fail') throw new Error('It fails');
          done += 1;
        },
      });
    const add = (value = 'job') => producer.send({ topic, messages: [{ value }] });
    await add();
    const consumer = await consume();
    const watch = stage.watch(admin, { name: topic, consumer, stalledAfter }, 2000);
    await run(consumer);
    await watch.see('up', { broker: 'ok', progress: 'ok' });
    await expect.poll(() => done, { timeout: 20_000 }).toBe(1);
    await watch.ok(stalledAfter * 2);
    await watch.see('the topic is empty for long', { broker: 'ok', progress: 'ok' });

    await add('long');
    await watch.ok(stalledAfter * 2);
    await watch.see('a long job sends heartbeats', { broker: 'ok', progress: 'ok' });
    await expect.poll(() => done, { timeout: 20_000 }).toBe(2);

    behaviour = 'hang';
    for (let round = 0; round < 5; round += 1) await add();
    await watch.see('the consumer hangs in its message', { broker: 'ok', progress: 'health.E036' });
    behaviour = 'work';
    await watch.see('it goes on', { broker: 'ok', progress: 'ok' });

    await expect.poll(() => done, { timeout: 20_000 }).toBe(7);
    consumer.pause([{ topic }]);
    await watch.see('the consumer is paused', { broker: 'ok', progress: 'health.I006' });
    consumer.resume([{ topic }]);
    await watch.see('resumed', { broker: 'ok', progress: 'ok' });

    behaviour = 'fail';
    await add('crash');
    await watch.see('a poisoned message crashes the consumer', {
      broker: 'ok',
      progress: 'health.E037 crashed',
    });
    behaviour = 'work';
    await watch.see('kafkajs started it again', { broker: 'ok', progress: 'ok' });

    server.freeze();
    await watch.see('frozen', {
      broker: 'health.E034 in time',
      progress: 'health.E037 crashed',
    });
    server.thaw();
    await watch.see('thawed', { broker: 'ok', progress: 'ok' }, 40);

    await consumer.stop();
    await watch.see('the application stopped the consumer', { broker: 'ok', progress: 'health.E037' });

    behaviour = 'hang';
    await run(consumer);
    await watch.see('it runs again', { broker: 'ok', progress: 'ok' });
    await add();
    await pause(300);
    await server.kill();
    behaviour = 'work';
    await watch.see('killed during a job', {
      broker: 'health.E031 ECONNREFUSED',
      progress: 'health.E037 ECONNREFUSED',
    });
    await admin.disconnect();
    await watch.see('the application disconnected', { broker: 'health.E032', progress: 'health.E037' });

    const refused = kafkaAt(await freePort()).admin();
    await refused.connect().catch(() => {});
    await stage
      .watch(refused, { pending: () => 0, processed: () => 0, stalledAfter }, 3000)
      .see('refused', { broker: 'health.E031 ECONNREFUSED', progress: 'ok' });
    stage.expectTable();
  });
});
