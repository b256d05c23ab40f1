import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { Consumer, MessagesStreamModes, Producer } from '@platformatic/kafka';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checks } from 'lifesign/node';
import { canStart, startService } from '../../services/index.js';
import { pause, watch } from './see.js';

const stalledAfter = 1000;

/** The mock cluster answers version 5 of ListOffsets without its last field: through this it offers version 3, as its brokers could. */
function withOlderOffsets(port: number): Server {
  const offer = Buffer.from([0, 2, 0, 0, 0, 5]);
  return createServer((socket) => {
    const broker = connect(port, '127.0.0.1');
    for (const each of [socket, broker]) each.on('error', () => socket.destroy());
    broker.on('close', () => socket.destroy());
    socket.on('close', () => broker.destroy());
    socket.pipe(broker);
    broker.on('data', (chunk: Buffer) => {
      const at = chunk.indexOf(offer);
      if (at >= 0) chunk[at + 5] = 3;
      socket.write(chunk);
    });
  });
}

describe.skipIf(!canStart('kafka'))('@platformatic/kafka', () => {
  it.each([true, false])('is seen in every state, autocommit %j', async (autocommit) => {
    const server = await startService('kafka');
    const proxy = withOlderOffsets(server.port).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const opened: { close(force?: boolean): Promise<unknown> }[] = [];
    onTestFinished(async () => {
      await Promise.all(opened.map((each) => Promise.race([each.close(true).catch(() => {}), pause(2000)])));
      proxy.close();
      await server.stop();
    });
    const settings = {
      clientId: 'worker',
      bootstrapBrokers: [`127.0.0.1:${(proxy.address() as AddressInfo).port}`],
      retries: 1,
      retryDelay: 100,
      timeout: 1000,
      requestTimeout: 5000,
      connectTimeout: 1000,
    };
    const producer = new Producer(settings);
    producer.on('error', () => {});
    opened.push(producer);
    const add = (count = 1) =>
      producer.send({
        messages: Array.from({ length: count }, () => ({ topic: 'jobs', value: Buffer.from('job') })),
      });
    let hang: Promise<void> | undefined;
    let done = 0;
    const consume = async () => {
      const consumer = new Consumer({
        ...settings,
        groupId: 'workers',
        sessionTimeout: 6000,
        heartbeatInterval: 300,
        maxWaitTime: 200,
      });
      consumer.on('error', () => {});
      opened.push(consumer);
      const stream = await consumer.consume({
        topics: ['jobs'],
        mode: MessagesStreamModes.COMMITTED,
        fallbackMode: 'earliest',
        autocommit,
      });
      stream.on('error', () => {});
      void (async () => {
        for await (const message of stream) {
          await hang;
          if (!autocommit) await message.commit();
          done += 1;
        }
      })().catch(() => {});
      return { consumer, stream };
    };
    await add();
    let current = await consume();
    const { health, see, ok, say } = watch(
      checks.progress({ name: 'jobs', consumer: () => current.stream, stalledAfter }),
      12_000,
    );
    const broker = watch(
      checks.checkBrokerConnected(() => current.consumer),
      12_000,
    );
    await see('ok');
    await broker.see('ok');
    await expect.poll(() => done, { timeout: 20_000 }).toBeGreaterThan(0);
    await ok(stalledAfter * 2);

    let release = () => {};
    hang = new Promise((resolve) => {
      release = resolve;
    });
    await add(5);
    await see('health.E036 No progress on jobs');
    // What comes meanwhile is not progress.
    for (let round = 0; round < 8; round += 1) {
      await add();
      await pause(100);
      expect(await say()).toContain('health.E036');
    }
    release();
    hang = undefined;
    await see('ok');
    const before = done;
    await add(50);
    await expect.poll(() => done, { timeout: 20_000 }).toBeGreaterThanOrEqual(before + 50);
    await see('ok');

    await current.stream.close();
    await see('health.E037 its stream is closed');
    await broker.see('ok');
    await current.consumer.close(true);
    await broker.see('health.E032');
    current = await consume();
    await see('ok');
    await broker.see('ok');

    if (autocommit) server.freeze();
    else await server.kill();
    await broker.see(autocommit ? 'health.E034 requests are not answered in time' : 'health.E03');
    await see('health.E037');
    health.close();
    broker.health.close();
  });
});
