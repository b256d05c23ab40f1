import { connect as connect3 } from '@nats-io/transport-node';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { AckPolicy, connect, type JsMsg, type NatsConnection } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStart, startService } from '../../services/index.js';
import type { RunningService } from '../../services/service.js';
import { type Behaviour, pause, Stage, stalledAfter } from './stage.js';

const user = { user: 'planted_user', pass: 'pl4nted-S3cret' };

describe.skipIf(!canStart('nats'))('NATS', () => {
  let server: RunningService;
  const open: { close(): Promise<unknown> }[] = [];

  beforeAll(async () => {
    server = await startService('nats');
  });
  afterAll(async () => {
    await Promise.all(open.map((each) => Promise.race([each.close(), pause(500)])));
    await server?.stop();
  });

  async function connected(port = server.port): Promise<NatsConnection> {
    const settings = {
      servers: `127.0.0.1:${port}`,
      ...user,
      reconnectTimeWait: 100,
      maxReconnectAttempts: -1,
    };
    const connection = await connect({ ...settings, pingInterval: 60_000 });
    open.push(connection);
    return connection;
  }

  it('is seen in every state, with nats', { timeout: 180_000 }, async () => {
    const stage = new Stage('NATS JetStream');
    const connection = await connected();
    const manager = await connection.jetstreamManager();
    const stream = connection.jetstream();
    await manager.streams.add({ name: 'JOBS', subjects: ['jobs'] });
    const settings = { durable_name: 'worker', ack_policy: AckPolicy.Explicit, ack_wait: 60e9 };
    await manager.consumers.add('JOBS', settings);
    const consumer = await stream.consumers.get('JOBS', 'worker');
    let behaviour: Behaviour = 'work';
    let done = 0;
    const handle = (message: JsMsg) => {
      if (behaviour === 'hang') return;
      if (message.string() === 'poison') message.nak(20);
      else {
        done += 1;
        message.ack();
      }
    };
    const consume = async () => {
      const messages = await consumer.consume({ callback: handle });
      return messages;
    };
    const add = (text = 'job') => stream.publish('jobs', text);
    const watch = stage.watch(connection, { name: 'jobs', consumer, stalledAfter });
    let messages = await consume();
    await add();
    await watch.see('up', { broker: 'ok', progress: 'ok' });
    await expect.poll(() => done).toBe(1);

    await watch.ok(stalledAfter * 2);
    await watch.see('the stream is empty for long', { broker: 'ok', progress: 'ok' });

    await add('poison');
    for (let round = 0; round < 30; round += 1) {
      await add();
      // On a busy machine the poisoned message may be the only one that moved since the last look.
      await expect.poll(async () => (await watch.beat()).details, { timeout: 20_000 }).toEqual({});
      await pause(50);
    }
    await watch.see('a poisoned message keeps failing, others go on', { broker: 'ok', progress: 'ok' });
    await watch.see('nothing but the poisoned message is left', { broker: 'ok', progress: 'ok' });
    await manager.streams.purge('JOBS');
    await watch.see('it was purged', { broker: 'ok', progress: 'ok' });

    behaviour = 'hang';
    for (let round = 0; round < 5; round += 1) await add();
    await watch.see('the consumer hangs in its messages', { broker: 'ok', progress: 'health.E036' });
    behaviour = 'work';
    await manager.streams.purge('JOBS');

    messages.stop();
    await messages.closed();
    for (let round = 0; round < 5; round += 1) await add();
    await watch.see('there is work and nobody pulls', { broker: 'ok', progress: 'health.E036' });
    messages = await consume();
    await watch.see('a consumer is back', { broker: 'ok', progress: 'ok' });

    await manager.consumers.delete('JOBS', 'worker');
    await watch.see('the server deleted the consumer', { broker: 'ok', progress: 'health.E037' });
    await manager.consumers.add('JOBS', settings);
    messages.stop();
    messages = await consume();
    await watch.see('it is there again', { broker: 'ok', progress: 'ok' });

    server.freeze();
    await watch.see('frozen', { broker: ['health.E012', 'health.E013'], progress: 'health.E038' });
    server.thaw();
    await watch.see('thawed', { broker: 'ok', progress: 'ok' });

    behaviour = 'hang';
    await add();
    await pause(100);
    await server.kill();
    await watch.see('killed during a job', {
      broker: 'health.E031',
      progress: 'health.E038 no connection',
    });
    behaviour = 'work';
    await server.restart();
    await add().catch(() => add());
    await watch.see('recovered', { broker: 'ok', progress: 'ok' });

    // It refuses at start: the application has no connection then.
    await expect(
      connect({ servers: `127.0.0.1:${server.port}`, ...user, pass: 'wr0ng-S3cret' }),
    ).rejects.toThrow();
    await stage
      .watch(() => undefined, { name: 'jobs', consumer: () => undefined, stalledAfter })
      .see('refused, or a wrong password: connect() rejects and there is no client', {
        broker: 'health.E032',
        progress: 'health.E037',
      });
    await connection.close();
    await watch.see('the application closed the connection', {
      broker: 'health.E032',
      progress: 'health.E038',
    });
    stage.expectTable();
  });

  it('is seen with @nats-io/transport-node and @nats-io/jetstream', async () => {
    const connection = await connect3({ servers: `127.0.0.1:${server.port}`, ...user });
    open.push(connection);
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'MORE', subjects: ['more'] });
    await manager.consumers.add('MORE', { durable_name: 'worker', ack_policy: 'explicit' });
    const stream = jetstream(connection);
    const consumer = await stream.consumers.get('MORE', 'worker');
    const watch = new Stage('').watch(connection, { name: 'more', consumer, stalledAfter }, 1000);
    await watch.ok(stalledAfter);
    for (let round = 0; round < 3; round += 1) await stream.publish('more', 'job');
    await watch.see('nothing is pulling', { broker: 'ok', progress: 'health.E036' });
    const messages = await consumer.consume({ callback: (message) => message.ack() });
    await watch.see('all is done', { broker: 'ok', progress: 'ok' });
    messages.stop();
    await manager.consumers.delete('MORE', 'worker');
    await watch.see('deleted', { broker: 'ok', progress: 'health.E037' });
  });
});
