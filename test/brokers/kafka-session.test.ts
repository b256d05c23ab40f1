import { Kafka, logLevel } from 'kafkajs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pause, Stage, stalledAfter, worksAgain } from '../checks/brokers/stage.js';
import { canStart, startService } from '../services/index.js';

describe.skipIf(!canStart('kafka'))('a consumer of Kafka', () => {
  it('is stuck while its group has given it up, and well when it is back', async () => {
    const server = await startService('kafka');
    onTestFinished(() => server.stop());
    const kafka = new Kafka({ brokers: [server.url], logLevel: logLevel.NOTHING, retry: { retries: 3 } });
    const producer = kafka.producer();
    const admin = kafka.admin();
    const consumer = kafka.consumer({
      groupId: 'workers',
      sessionTimeout: 6000,
      heartbeatInterval: 500,
      maxWaitTimeInMs: 200,
    });
    onTestFinished(async () => {
      await Promise.race([
        Promise.all([consumer.disconnect(), producer.disconnect(), admin.disconnect()]),
        pause(3000),
      ]);
    });
    await Promise.all([producer.connect(), admin.connect(), consumer.connect()]);
    await producer.send({ topic: 'jobs', messages: [{ value: 'first' }] });
    await consumer.subscribe({ topics: ['jobs'], fromBeginning: true });
    let behaviour: 'work' | 'hang' = 'work';
    let done = 0;
    const watch = new Stage('').watch(admin, { name: 'jobs', consumer, stalledAfter }, 3000);
    await consumer.run({
      async eachMessage() {
        await worksAgain(() => behaviour);
        done += 1;
      },
    });
    await expect.poll(() => done, { timeout: 30_000 }).toBe(1);
    behaviour = 'hang';
    await producer.send({ topic: 'jobs', messages: [{ value: 'second' }, { value: 'third' }] });
    await watch.see('hangs', { broker: 'ok', progress: 'health.E036' }, 30);
    // Longer than the session: the group goes on without it.
    await pause(9000);
    await watch.see('still', { broker: 'ok', progress: ['health.E036 no heartbeat', 'health.E037'] }, 30);
    behaviour = 'work';
    await watch.see('back', { broker: 'ok', progress: 'ok' }, 60);
    await expect.poll(() => done, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
  });
});
