import { connect as manage } from 'amqp-connection-manager';
import { type Channel, type ChannelModel, connect, type ConsumeMessage } from 'amqplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checks } from 'lifesign';
import { canStart, startService } from '../../services/index.js';
import { freePort } from '../../services/port.js';
import type { RunningService } from '../../services/service.js';
import { say } from '../say.js';
import { type Behaviour, pause, Stage, stalledAfter } from './stage.js';

const queue = 'jobs';

describe.skipIf(!canStart('rabbitmq'))('RabbitMQ', () => {
  let server: RunningService;
  let connection: ChannelModel;
  let channel: Channel;
  let behaviour: Behaviour = 'work';
  let done = 0;
  /** Ends before a channel is closed: a purge misses the message that is being handled. */
  let poisoned = true;
  /** As many applications have it: kept before anybody looks at the channel. */
  let ack: Channel['ack'];

  async function openChannel(): Promise<void> {
    channel = await connection.createChannel();
    channel.on('error', () => {});
    ack = channel.ack.bind(channel);
  }

  async function open(): Promise<void> {
    connection = await connect(server.url);
    connection.on('error', () => {});
    await openChannel();
    await channel.assertQueue(queue, { durable: true });
    await channel.prefetch(2);
  }

  const consume = () => channel.consume(queue, handle);

  function handle(message: ConsumeMessage | null): void {
    if (message === null || behaviour === 'hang') return;
    // The poisoned one keeps failing, the others go on.
    if (poisoned && message.content.toString() === 'poison') setTimeout(() => retry(message), 20);
    else if (behaviour === 'work') {
      done += 1;
      ack(message);
    }
  }

  const retry = (message: ConsumeMessage) => {
    if (behaviour === 'work') channel.nack(message);
  };
  const add = (text = 'job') => channel.sendToQueue(queue, Buffer.from(text), { persistent: true });

  beforeAll(async () => {
    server = await startService('rabbitmq');
    await open();
  });
  afterAll(async () => {
    await connection?.close().catch(() => {});
    await server?.stop();
  });

  it('has nothing under way that was settled in the tick of its delivery', { timeout: 60_000 }, async () => {
    const own = await connection.createChannel();
    const manager = manage([server.url]);
    const wrapper = manager.createChannel();
    await wrapper.waitForConnect();
    const ways: readonly ((message: ConsumeMessage) => void)[] = [
      (message) => own.ack(message),
      () => own.ackAll(),
      (message) => own.nack(message, false, false),
      (message) => own.reject(message, false),
      (message) => wrapper.ack(message),
    ];
    for (const [index, settle] of ways.entries()) {
      const name = `tick${index}`;
      await own.assertQueue(name, { autoDelete: true });
      const consumer = index === ways.length - 1 ? wrapper : own;
      // All that is in progress is told at once.
      const check = checks.progress({ consumer, queue: name, stalledAfter: 1 });
      expect(await say(check)).toEqual([]);
      let handled = 0;
      const onMessage = (message: ConsumeMessage | null) => {
        if (message === null) return;
        settle(message);
        handled += 1;
      };
      await consumer.consume(name, onMessage);
      for (let count = 0; count < 3; count += 1) own.sendToQueue(name, Buffer.from('job'));
      await expect.poll(() => handled).toBe(3);
      for (let look = 0; look < 3; look += 1) {
        expect(await say(check)).toEqual([]);
        await pause(5);
      }
    }
    await manager.close();
    await own.close();
  });

  it('is seen in every state, with amqplib', { timeout: 180_000 }, async () => {
    const stage = new Stage('RabbitMQ');
    const watch = stage.watch(() => connection, { consumer: () => channel, queue, stalledAfter }, 1000);
    await consume();
    add();
    await watch.see('up', { broker: 'ok', progress: 'ok' });
    await expect.poll(() => done).toBe(1);

    // Empty for long.
    await watch.ok(stalledAfter * 2);
    await watch.see('the queue is empty for long', { broker: 'ok', progress: 'ok' });

    // A poisoned message comes again and again while others go on.
    add('poison');
    for (let round = 0; round < 30; round += 1) {
      add();
      await watch.good();
      await pause(50);
    }
    await watch.see('a poisoned message keeps failing, others go on', { broker: 'ok', progress: 'ok' });
    await watch.see('nothing but the poisoned message is left', { broker: 'ok', progress: 'ok' });
    poisoned = false;
    await channel.purgeQueue(queue);

    behaviour = 'hang';
    for (let round = 0; round < 5; round += 1) add();
    await watch.see('the consumer hangs in its job', { broker: 'ok', progress: 'health.E036' });
    behaviour = 'work';

    // All messages go back to the queue.
    await channel.close();
    await watch.see('the application closed the channel', { broker: 'ok', progress: 'health.E037' });
    await openChannel();
    await watch.see('there is work and no consumer', { broker: 'ok', progress: 'health.E036' });
    await consume();
    await watch.see('a consumer is back', { broker: 'ok', progress: 'ok' });

    // Somebody deletes the queue.
    const other = await connection.createChannel();
    await other.deleteQueue(queue);
    await watch.see('the server cancelled the consumer, as its queue was deleted', {
      broker: 'ok',
      progress: 'health.E037',
    });
    await channel.assertQueue(queue, { durable: true });
    await consume();
    await watch.see('it consumes again', { broker: 'ok', progress: 'ok' });

    // Acknowledging what was never delivered is an error of the protocol.
    channel.ack({ fields: { deliveryTag: 4711 } } as ConsumeMessage);
    await watch.see('a protocol error closed the channel', { broker: 'ok', progress: 'health.E037' });
    await openChannel();
    await consume();
    await watch.see('a new channel', { broker: 'ok', progress: 'ok' });

    server.freeze();
    await watch.see('frozen', { broker: ['health.E012', 'health.E013'], progress: 'health.E038' });
    server.thaw();
    await watch.see('thawed', { broker: 'ok', progress: 'ok' });

    behaviour = 'hang';
    // One that the server has written to its disk.
    const confirmed = await connection.createConfirmChannel();
    confirmed.on('error', () => {});
    confirmed.sendToQueue(queue, Buffer.from('job'), { persistent: true });
    await confirmed.waitForConfirms();
    await server.kill();
    await watch.see('killed during a job', {
      broker: 'health.E034',
      progress: 'health.E037',
    });
    behaviour = 'work';
    const before = done;
    await server.restart();
    for (let tries = 0; tries < 40; tries += 1) {
      try {
        await open();
        break;
      } catch {
        await pause(250);
      }
    }
    await consume();
    await watch.see('recovered', { broker: 'ok', progress: 'ok' });
    // The job that was under way is done after all.
    await expect.poll(() => done).toBeGreaterThan(before);
    stage.expectTable();
  });

  it('leaves no channel behind, whatever happens', async () => {
    const stage = new Stage('');
    const watch = stage.watch(connection, { consumer: channel, queue: 'no such queue', stalledAfter });
    for (let beat = 0; beat < 20; beat += 1) {
      expect(JSON.stringify(await watch.beat())).toContain('Cannot determine the progress');
    }
    const channels: unknown = Reflect.get(connection.connection, 'channels');
    if (!Array.isArray(channels)) throw new Error('No channels');
    // That of the connection itself, and those of the application.
    await expect.poll(() => channels.filter((each) => each !== null).length).toBeLessThanOrEqual(4);
    // The application's own is not closed by a question for a queue that is not there.
    await channel.checkQueue(queue);
  });

  it('is reached by amqp-connection-manager, which connects again by itself', async () => {
    const stage = new Stage('RabbitMQ with amqp-connection-manager');
    const open = (url: string) => {
      const manager = manage([url], { reconnectTimeInSeconds: 1 });
      const wrapper = manager.createChannel({ setup: (each: Channel) => each.assertQueue('managed') });
      wrapper.on('error', () => {});
      return { manager, wrapper };
    };
    const good = open(server.url);
    const watch = stage.watch(good.manager, { consumer: good.wrapper, queue: 'managed', stalledAfter }, 1000);
    await good.wrapper.waitForConnect();
    let hangs = false;
    await good.wrapper.consume('managed', (message) => {
      if (!hangs) good.wrapper.ack(message);
    });
    await good.wrapper.sendToQueue('managed', Buffer.from('job'));
    await watch.see('up', { broker: 'ok', progress: 'ok' });
    hangs = true;
    await good.wrapper.sendToQueue('managed', Buffer.from('job'));
    await watch.see('the consumer hangs in its job', { broker: 'ok', progress: 'health.E036' });
    hangs = false;
    good.manager.reconnect();
    await watch.see('connected again, the job came again', { broker: 'ok', progress: 'ok' });
    await good.manager.close();

    const refused = open(`amqp://planted_user:pl4nted-S3cret@127.0.0.1:${await freePort()}`);
    await stage
      .watch(refused.manager, { consumer: refused.wrapper, queue: 'managed', stalledAfter })
      .see('refused', { broker: 'health.E031 ECONNREFUSED', progress: 'health.E037' });
    await refused.manager.close();

    const wrong = open(server.url.replace('guest:guest', 'planted_user:wr0ng-S3cret'));
    await stage
      .watch(wrong.manager, { consumer: wrong.wrapper, queue: 'managed', stalledAfter })
      .see('wrong password', { broker: 'health.E033', progress: 'health.E037' });
    await wrong.manager.close();
    stage.expectTable();
  });

  it('is reached by amqplib with its own recovery', async () => {
    const stage = new Stage('RabbitMQ with the recovery of amqplib');
    const recovery = { initialDelay: 50, maxDelay: 50, waitForConnect: false };
    const idle = { pending: () => 0, processed: () => 0, stalledAfter };
    const rows = [
      ['up', server.url, 'ok'],
      ['refused', `amqp://guest:guest@127.0.0.1:${await freePort()}`, 'health.E031 ECONNREFUSED'],
      ['wrong password', server.url.replace('guest:guest', 'planted_user:wr0ng-S3cret'), 'health.E033'],
    ] as const;
    for (const [scenario, url, broker] of rows) {
      const recovering = await connect(url, { recovery });
      recovering.on('error', () => {});
      await stage.watch(recovering, idle).see(scenario, { broker, progress: 'ok' });
      await recovering.close();
    }
    stage.expectTable();
  });
});
