import { AckPolicy, connect as connectNats } from 'nats';
import { connect as manage } from 'amqp-connection-manager';
import type { Channel } from 'amqplib';
import { Queue, Worker } from 'bullmq';
import { afterEach, describe, expect, it } from 'vitest';
import type { BrokerClient, ProgressOptions } from 'lifesign/checks';
import { pause, planted, Stage, stalledAfter } from '../checks/brokers/stage.js';
import { seeded } from '../probes/simulation/scheduler.js';
import { seed } from '../seed.js';
import { canStart, startService } from '../services/index.js';
import type { ServiceName } from '../services/list.js';
import type { RunningService } from '../services/service.js';

/** A consumer at work on a real broker. */
interface Rig {
  readonly broker: BrokerClient;
  readonly progress: ProgressOptions;
  /** Adds a job, and rejects where the broker has not confirmed it. */
  add(id: string): Promise<unknown>;
  close(): Promise<unknown>;
}

type Open = (server: RunningService, done: (id: string) => void) => Promise<Rig>;

const rigs: Partial<
  Record<ServiceName, { readonly rounds: number; readonly args?: readonly string[]; open: Open }>
> = {
  nats: {
    rounds: 8,
    async open(server, done) {
      const settings = {
        user: planted.user,
        pass: planted.password,
        reconnectTimeWait: 100,
        maxReconnectAttempts: -1,
      };
      const connection = await connectNats({
        servers: `127.0.0.1:${server.port}`,
        ...settings,
        pingInterval: 500,
      });
      const manager = await connection.jetstreamManager();
      await manager.streams.add({ name: 'JOBS', subjects: ['jobs'] });
      await manager.consumers.add('JOBS', {
        durable_name: 'w',
        ack_policy: AckPolicy.Explicit,
        ack_wait: 1e9,
      });
      const stream = connection.jetstream();
      const consumer = await stream.consumers.get('JOBS', 'w');
      await consumer.consume({
        callback(message) {
          done(message.string());
          message.ack();
        },
      });
      return {
        broker: connection,
        progress: { consumer, stalledAfter },
        add: (id) => stream.publish('jobs', id, { timeout: 1000 }),
        close: () => connection.close(),
      };
    },
  },
  redis: {
    rounds: 8,
    args: ['--appendonly', 'yes', '--appendfsync', 'always'],
    async open(server, done) {
      const connection = { host: '127.0.0.1', port: server.port, retryStrategy: () => 100 };
      const queue = new Queue('jobs', { connection });
      const worker = new Worker('jobs', async (job) => done(job.name), {
        connection: { ...connection, maxRetriesPerRequest: null },
        lockDuration: 1000,
        stalledInterval: 500,
        maxStalledCount: 100,
      });
      queue.on('error', () => {});
      worker.on('error', () => {});
      await worker.waitUntilReady();
      return {
        broker: queue,
        progress: { consumer: worker, queue, stalledAfter },
        add: (id) => queue.add(id, {}),
        close: () => Promise.all([worker.close(true), queue.close()]),
      };
    },
  },
  rabbitmq: {
    rounds: 3,
    async open(server, done) {
      const manager = manage([server.url], { reconnectTimeInSeconds: 1, heartbeatIntervalInSeconds: 1 });
      const wrapper = manager.createChannel({
        confirm: true,
        setup: (channel: Channel) => channel.assertQueue('jobs', { durable: true }),
      });
      wrapper.on('error', () => {});
      await wrapper.waitForConnect();
      await wrapper.consume('jobs', (message) => {
        done(message.content.toString());
        wrapper.ack(message);
      });
      return {
        broker: manager,
        progress: { consumer: wrapper, queue: 'jobs', stalledAfter },
        add: (id) => wrapper.sendToQueue('jobs', Buffer.from(id), { persistent: true }),
        close: () => manager.close(),
      };
    },
  },
};

const next = seeded(seed);
const random = (most: number) => Math.floor(next() * most);

describe.each(Object.entries(rigs))('%s under random faults', (given, rig) => {
  const name = given as ServiceName;
  const endings: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0)) await Promise.race([end(), pause(5000)]);
  });

  it.skipIf(!canStart(name))('says what is wrong, forgets it, and loses no job', async () => {
    const server = await startService(name, { args: rig?.args ?? [] });
    endings.push(() => server.stop());
    const done = new Set<string>();
    const opened = await rig?.open(server, (id) => done.add(id));
    if (opened === undefined) throw new Error('No rig');
    endings.unshift(() => opened.close());
    const watch = new Stage('').watch(opened.broker, opened.progress, 1000);
    const confirmed: string[] = [];
    for (let round = 0; round < (rig?.rounds ?? 0); round += 1) {
      const adding = Promise.allSettled(
        Array.from({ length: 20 }, async (_, index) => {
          await pause(random(600));
          const id = `${round}.${index}`;
          await opened.add(id);
          confirmed.push(id);
        }),
      );
      await pause(random(400));
      const fault = random(2) === 0 ? 'freeze' : 'kill';
      if (fault === 'freeze') server.freeze();
      else await server.kill();
      const during = random(3000);
      const seen = new Set<string>();
      for (const end = Date.now() + during; Date.now() < end; await pause(50)) {
        for (const { messages } of Object.values((await watch.beat()).details)) {
          for (const id of Object.keys(messages)) seen.add(id);
        }
      }
      if (fault === 'freeze') server.thaw();
      else await server.restart();
      // Nobody is told of a stuck consumer by mistake: what is said is that the broker is gone.
      expect(
        [...seen].filter((id) => !/E01[23]|E03[1-578]|I008/.test(id)),
        `${fault} for ${during} ms`,
      ).toEqual([]);
      await watch.see('recovered', { broker: 'ok', progress: ['health.I008'] }, 1).catch(() => {});
      await expect
        .poll(
          async () =>
            Object.keys(JSON.parse(JSON.stringify((await watch.beat()).details))).filter(
              (each) => each !== 'progress',
            ),
          { timeout: 40_000 },
        )
        .toEqual([]);
      await Promise.race([adding, pause(20_000)]);
      await expect.poll(() => confirmed.filter((id) => !done.has(id)), { timeout: 40_000 }).toEqual([]);
    }
    expect(confirmed.length).toBeGreaterThan(10);
    // An idle consumer is well, however rough its day was.
    await expect
      .poll(
        async () =>
          Object.values((await watch.beat()).details)
            .flatMap(({ messages }) => Object.keys(messages))
            .filter((id) => id !== 'health.I008'),
        { timeout: 20_000 },
      )
      .toEqual([]);
  });
});
