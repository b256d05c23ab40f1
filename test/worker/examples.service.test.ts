import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { connect } from 'amqplib';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../core/waiting.js';
import { canStart, startService } from '../services/index.js';
import { freePort } from '../services/port.js';
import type { RunningService } from '../services/service.js';
import { parseLine } from '../logging/schemas.js';
import { whole } from '../whole.js';

const root = join(import.meta.dirname, '../..');

/** Starts an example and waits until its endpoints are served. */
async function startExample(name: string, env: Readonly<Record<string, string>>, folder = 'examples/worker') {
  const port = await freePort();
  const child = spawn(process.execPath, [join(root, folder, `${name}.mjs`)], {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const heartbeat = async () => {
    const reply = await fetch(`http://127.0.0.1:${port}/__heartbeat__`);
    return { status: reply.status, body: await reply.json() };
  };
  const jobs = () =>
    output
      .split('\n')
      .filter((line) => line.includes('"job.summary"'))
      .map((line) => parseLine(line).Fields);
  const live = async () => (await fetch(`http://127.0.0.1:${port}/livez`)).status;
  await until(() => output.includes('Serving the health endpoints'));
  return { child, ended, heartbeat, live, jobs };
}

/** The folder of an example whose minutes are a second. */
async function quickened(name: string): Promise<string> {
  const code = await readFile(join(root, 'examples/worker', `${name}.mjs`), 'utf8');
  await mkdir(join(root, '.tmp'), { recursive: true });
  const folder = await mkdtemp(join(root, '.tmp/worker-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, `${name}.mjs`), code.replaceAll("'1m'", "'1s'"));
  return relative(root, folder);
}

const count = 40;
const ids = Array.from({ length: count }, (_, index) => String(index + 1));
const sorted = (list: readonly unknown[]) => list.map(Number).toSorted((a, b) => a - b);

describe.skipIf(!canStart('redis'))('the example with BullMQ', () => {
  let server: RunningService;
  let connection: Redis;
  let queue: Queue;
  beforeAll(async () => {
    server = await startService('redis');
    connection = new Redis(server.url, { maxRetriesPerRequest: null });
    queue = new Queue('mail', { connection });
  });
  afterAll(async () => {
    await queue?.close();
    connection?.disconnect();
    await server?.stop();
  });

  test('has a line a job; after SIGTERM in the midst of jobs each is done once, or is still in the queue', async () => {
    const { child, ended, heartbeat, jobs } = await startExample('bullmq', { REDIS_URL: server.url });
    await queue.add('welcome', {}, { attempts: 2, jobId: 'poison' });
    await until(() => jobs().length === 2);
    expect(jobs()).toMatchObject([
      { name: 'welcome', id: 'poison', attempt: 1, errno: 500, msg: 'no recipient', rid: 'poison' },
      { attempt: 2, errno: 500 },
    ]);
    expect(await heartbeat()).toMatchObject({
      status: 200,
      body: { checks: { check_redis_connected: 'ok' } },
    });
    await queue.addBulk(
      ids.map((id) => ({
        name: 'welcome',
        data: { to: 'a', takes: 50, requestId: `req-${id}` },
        opts: { jobId: `m${id}` },
      })),
    );
    await until(() => jobs().length >= 2 + count / 4);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    const done = jobs().slice(2);
    expect(done.every(({ errno, rid, id }) => errno === 0 && rid === `req-${String(id).slice(1)}`)).toBe(
      true,
    );
    const completed = (await queue.getCompleted()).map(({ id }) => id?.slice(1));
    const waiting = (await queue.getWaiting()).map(({ id }) => id?.slice(1));
    expect(sorted(done.map(({ id }) => String(id).slice(1)))).toEqual(sorted(completed));
    expect(sorted([...completed, ...waiting])).toEqual(sorted(ids));
    expect(await queue.getActiveCount()).toBe(0);
    expect(waiting.length).toBeGreaterThan(0);
  });

  test.runIf(whole)(
    'is restarted if its jobs hang: /livez fails, and passes in the next process, which takes jobs',
    async () => {
      const env = { REDIS_URL: server.url, QUEUE: 'hung' };
      const folder = await quickened('bullmq');
      const hung = new Queue('hung', { connection });
      onTestFinished(() => hung.close());
      const first = await startExample('bullmq', env, folder);
      await until(async () => (await first.heartbeat()).status === 200);
      expect(await first.live()).toBe(200);
      const stuck = Array.from({ length: 6 }, () => ({ name: 'stuck', data: { to: 'a', takes: 600_000 } }));
      await hung.addBulk(stuck);
      await until(async () => (await first.live()) === 503, 30_000);
      first.child.kill('SIGKILL');
      await first.ended;
      await hung.obliterate({ force: true });
      const second = await startExample('bullmq', env, folder);
      expect(await second.live()).toBe(200);
      await hung.add('fine', { to: 'a' });
      await until(() => second.jobs().length === 1);
    },
  );
});

describe.skipIf(!canStart('rabbitmq'))('the example with RabbitMQ', () => {
  let server: RunningService;
  beforeAll(async () => {
    server = await startService('rabbitmq');
  });
  afterAll(async () => server?.stop());

  test('has a line a message; after SIGTERM in the midst of them each is done once, or is still in the queue', async () => {
    const connection = await connect(server.url);
    onTestFinished(() => connection.close().catch(() => {}));
    const channel = await connection.createConfirmChannel();
    await channel.assertQueue('orders', { durable: true });
    const { child, ended, heartbeat, jobs } = await startExample('rabbitmq', { RABBITMQ_URL: server.url });
    channel.sendToQueue('orders', Buffer.from('{}'), { messageId: 'poison', correlationId: 'night-1' });
    await until(() => jobs().length === 2);
    expect(jobs()).toMatchObject([
      { name: 'orders', id: 'poison', attempt: 1, errno: 500, msg: 'no order', rid: 'night-1' },
      { attempt: 2, errno: 500 },
    ]);
    expect(await heartbeat()).toMatchObject({
      status: 200,
      body: { checks: { check_broker_connected: 'ok', orders: 'ok' } },
    });
    for (const messageId of ids) {
      channel.sendToQueue('orders', Buffer.from(`{"order":${messageId},"takes":100}`), { messageId });
    }
    await channel.waitForConfirms();
    await until(() => jobs().length >= 2 + count / 4);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    const done = jobs().slice(2);
    expect(done.every(({ errno }) => errno === 0)).toBe(true);
    const left: string[] = [];
    for (;;) {
      const message = await channel.get('orders', { noAck: true });
      if (message === false) break;
      left.push(String(message.properties.messageId));
    }
    expect(sorted([...done.map(({ id }) => id), ...left])).toEqual(sorted(ids));
    expect(left.length).toBeGreaterThan(0);
  });
});
