import { SQSClient } from '@aws-sdk/client-sqs';
import { Consumer } from 'sqs-consumer';
import { expect, it, onTestFinished } from 'vitest';
import { checks } from 'lifesign/node';
import { listenersOf, watch } from './see.js';
import { startSqs } from './sqs-server.js';

const stalledAfter = 1000;

it.each(['message', 'batch'])('sqs-consumer is seen in every state, by %s', async (kind) => {
  const server = await startSqs();
  onTestFinished(() => server.stop());
  let hang: Promise<void> | undefined;
  let done = 0;
  const work = async () => {
    await hang;
    done += 1;
  };
  const consumer = Consumer.create({
    queueUrl: `${server.endpoint}/123456789012/jobs`,
    sqs: new SQSClient({
      endpoint: server.endpoint,
      region: 'eu-west-1',
      maxAttempts: 1,
      credentials: { accessKeyId: 'planted_user', secretAccessKey: 'pl4nted' },
    }),
    authenticationErrorTimeout: 200,
    waitTimeSeconds: 1,
    ...(kind === 'batch'
      ? {
          handleMessageBatch: async (messages) => {
            await work();
            return messages;
          },
        }
      : {
          handleMessage: async (message) => {
            await work();
            if (message.Body === 'poison') throw new Error('It fails');
            return message;
          },
        }),
  });
  consumer.on('error', () => {});
  consumer.on('processing_error', () => {});
  const before = listenersOf(consumer);
  const { health, see, ok } = watch(checks.progress({ consumer, stalledAfter }));
  await see('health.E037 not started');
  consumer.start();
  await see('ok');
  await ok(stalledAfter * 2);
  server.send('job');
  await expect.poll(() => done, { timeout: 10_000 }).toBe(1);
  await ok(300);

  let release = () => {};
  hang = new Promise((resolve) => {
    release = resolve;
  });
  server.send('job');
  await see('health.E036 No progress on jobs');
  release();
  hang = undefined;
  await see('ok');
  for (let round = 0; round < 3; round += 1) server.send('poison');
  await expect.poll(() => done, { timeout: 10_000 }).toBe(5);
  await ok(300);

  server.refuse('AccessDeniedException');
  await see('health.E038 lacks permission');
  server.refuse('QueueDoesNotExist');
  await see('health.E038 queue does not exist');
  server.refuse(undefined);
  await see('ok');
  await server.stop();
  await see('health.E038 ECONNREFUSED');
  await server.start();
  await see('ok');
  server.freeze(true);
  await see('health.E038 SQS has not answered');
  server.freeze(false);
  await see('ok');
  const count = done;
  server.send('job');
  await expect.poll(() => done, { timeout: 10_000 }).toBe(count + 1);

  health.close();
  expect(listenersOf(consumer)).toEqual(before);
  const again = watch(checks.progress({ consumer, stalledAfter }));
  await again.see('ok');
  consumer.stop();
  await again.see('health.E037 stopped');
  again.health.close();
});
