import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Life } from '../../../src/checks/life.js';
import * as checks from 'lifesign/checks';
import { amqp } from '../../../src/checks/progress/amqp.js';
import { polling } from '../../../src/checks/progress/polling.js';
import { bullmq } from '../../../src/checks/progress/bullmq.js';
import { jetStream } from '../../../src/checks/progress/jet-stream.js';
import { pgBoss } from '../../../src/checks/progress/pg-boss.js';
import { span } from '../../../src/core/span.js';
import { quietController } from '../../../src/core/heartbeat/abort.js';
import { sayInTime } from '../say.js';

const starter = { signal: new AbortController().signal };
const emitter = <Members extends object>(members: Members) => Object.assign(new EventEmitter(), members);
const unused = () => {};
const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const stalledAfter = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

describe('a consumer of kafkajs', () => {
  const names = [
    'GROUP_JOIN',
    'HEARTBEAT',
    'START_BATCH_PROCESS',
    'END_BATCH_PROCESS',
    'REBALANCING',
    'CRASH',
    'STOP',
    'DISCONNECT',
  ];
  const all = Object.fromEntries(names.map((name) => [name, name]));
  const kafka = (paused: object[] = [], events: object = all) =>
    emitter({ describeGroup: unused, paused: () => paused, events });
  const tell = (consumer: EventEmitter, event: string, payload?: object) => consumer.emit(event, { payload });
  const check = (consumer: object, time = stalledAfter) =>
    checks.progress({ consumer, stalledAfter: time } as never);
  const not = (text: string) => [`Error health.E037: The consumer is not taking work: ${text}`];

  async function started(consumer: object, time?: number) {
    const made = check(consumer, time);
    expect(await sayInTime(made)).toEqual([]);
    return made;
  }

  it('that is in no group is told after its time, until it joins', async () => {
    const consumer = kafka();
    const made = await started(consumer);
    vi.advanceTimersByTime(stalledAfter);
    expect(await sayInTime(made)).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(await sayInTime(made)).toEqual(not('it has not been in a group for 61 s'));
    tell(consumer, 'GROUP_JOIN', { memberAssignment: null });
    expect(await sayInTime(made)).toEqual([]);
    tell(consumer, 'REBALANCING');
    vi.advanceTimersByTime(stalledAfter);
    // Since the first time.
    tell(consumer, 'REBALANCING');
    vi.advanceTimersByTime(1000);
    expect(await sayInTime(made)).toEqual(not('it has not been in a group for 61 s'));
  });

  it('that tells its group nothing is told, and not before its group would notice', async () => {
    const consumer = kafka();
    const made = await started(consumer, 5000);
    tell(consumer, 'GROUP_JOIN', { memberAssignment: { jobs: [0] } });
    vi.advanceTimersByTime(29_000);
    expect(await sayInTime(made)).toEqual([]);
    vi.advanceTimersByTime(2000);
    expect(await sayInTime(made)).toEqual(not('no heartbeat sent to its group for 31 s'));
    tell(consumer, 'HEARTBEAT');
    expect(await sayInTime(made)).toEqual([]);
  });

  it('that works on a batch is judged by what is left of it', async () => {
    const consumer = kafka();
    const made = await started(consumer);
    tell(consumer, 'GROUP_JOIN', { memberAssignment: { jobs: [0, 1] } });
    tell(consumer, 'START_BATCH_PROCESS', { topic: 'jobs', partition: 0, offsetLag: '4', batchSize: 3 });
    tell(consumer, 'START_BATCH_PROCESS', { topic: 'jobs', partition: 1, offsetLag: 'unknown' });
    expect(await sayInTime(made)).toEqual([]);
    vi.advanceTimersByTime(stalledAfter + 1000);
    expect(await sayInTime(made)).toEqual([
      'Error health.E036: No progress for 61 s: 7 waiting or in progress; no heartbeat sent to its group for 61 s',
    ]);
    tell(consumer, 'END_BATCH_PROCESS', { topic: 'jobs', partition: 0, offsetLag: '-1' });
    tell(consumer, 'HEARTBEAT');
    expect(await sayInTime(made)).toEqual([]);
  });

  it.each([
    [false, 'it crashed: connection refused (ECONNREFUSED)'],
    [true, 'it crashed: connection refused (ECONNREFUSED), kafkajs will restart it'],
  ])('that crashed tells why, and whether it starts again: %j', async (restart, text) => {
    const consumer = kafka();
    const made = await started(consumer);
    tell(consumer, 'CRASH', { error: refused, restart });
    // It stops for the same reason.
    tell(consumer, 'STOP');
    expect(await sayInTime(made)).toEqual(not(text));
    tell(consumer, 'GROUP_JOIN', {});
    expect(await sayInTime(made)).toEqual([]);
  });

  it.each(['STOP', 'DISCONNECT'])('that was stopped is told: %s', async (event) => {
    const consumer = kafka();
    const made = await started(consumer);
    tell(consumer, event);
    expect(await sayInTime(made)).toEqual(not('it was stopped'));
  });

  it('is paused where all that it was given is', async () => {
    const paused: object[] = [{ topic: 'jobs', partitions: [0] }];
    const consumer = kafka(paused);
    const made = await started(consumer);
    tell(consumer, 'GROUP_JOIN', { memberAssignment: { jobs: [0, 1], none: 'hidden' } });
    expect(await sayInTime(made)).toEqual([]);
    paused.push({ topic: 'jobs', partitions: [1] });
    expect(await sayInTime(made)).toEqual([expect.stringMatching(/^Info health\.I006: Work is paused/)]);
  });

  it('that shows few events is followed by those', async () => {
    const consumer = kafka([], { GROUP_JOIN: 'GROUP_JOIN', HEARTBEAT: 'HEARTBEAT' });
    const made = await started(consumer);
    tell(consumer, 'GROUP_JOIN', {});
    vi.advanceTimersByTime(stalledAfter + 1000);
    expect(await sayInTime(made)).toEqual(not('no heartbeat sent to its group for 61 s'));
  });
});

describe('a worker of BullMQ', () => {
  const worker = (more: object = {}) =>
    emitter({
      name: 'jobs',
      isRunning: () => true,
      isPaused: () => false,
      waitUntilReady: async () => {},
      ...more,
    });
  const queue = (counts: unknown, isPaused = false) => ({
    getJobCounts: async () => counts,
    isPaused: async () => isPaused,
  });
  const look = (given: ReturnType<typeof worker>, of: unknown = queue({})) =>
    bullmq(given, { queue: of, stalledAfter, life: new Life() }).look(starter);

  it('counts what waits and what is under way', async () => {
    expect(await look(worker(), queue({ waiting: 2, prioritized: 1, paused: 4, delayed: 9 }))).toMatchObject({
      pending: 7,
      note: undefined,
    });
    for (const counts of [undefined, {}, { waiting: 'many' }])
      expect(await look(worker(), queue(counts))).toMatchObject({ pending: 0 });
    const counting = worker({ lockManager: { getActiveJobCount: () => 3 } });
    expect(await look(counting, queue({ waiting: 2 }))).toMatchObject({ pending: 5 });
    expect(await look(worker(), undefined)).toMatchObject({ pending: 0 });
  });

  it('is paused where it is, or its queue', async () => {
    expect(await look(worker({ isPaused: () => true }))).toMatchObject({ paused: true });
    expect(await look(worker(), queue({}, true))).toMatchObject({ paused: true });
    expect(await look(worker(), queue({}))).toMatchObject({ paused: false });
  });

  it('that does not run, or was closed, says so', async () => {
    expect(await look(worker({ isRunning: () => false }))).toMatchObject({
      note: 'the worker is not running',
    });
    expect(await look(worker({ closing: Promise.resolve() }))).toEqual({
      stopped: 'the application has closed it',
    });
  });

  it('follows its jobs: the last attempt ends one, a lock that is lost too', async () => {
    const client = worker();
    client.on('error', unused);
    const { look: again } = bullmq(client, { queue: queue({}), stalledAfter, life: new Life() });
    for (const id of ['1', '2', '3', '4']) client.emit('active', { id });
    expect(await again(starter)).toMatchObject({ pending: 4, mark: 0, attempts: 0 });
    client.emit('failed', { id: '1', attemptsMade: 1, opts: { attempts: 3 } });
    expect(await again(starter)).toMatchObject({ pending: 3, mark: 0, attempts: 1 });
    client.emit('failed', { id: '2', attemptsMade: 3, opts: { attempts: 3 } });
    client.emit('failed', { id: '3', attemptsMade: 1 });
    expect(await again(starter)).toMatchObject({ pending: 1, mark: 2, attempts: 1, lostFor: undefined });
    // One of which nothing is known: it comes again.
    client.emit('failed', undefined);
    expect(await again(starter)).toMatchObject({ mark: 2, attempts: 2 });
    client.emit('error', new Error('of something else'));
    expect(await again(starter)).toMatchObject({ pending: 1, lostFor: undefined });
    client.emit('error', new Error('Missing lock for job 4. moveToFinished'));
    vi.advanceTimersByTime(5);
    expect(await again(starter)).toMatchObject({ pending: 0, lostFor: 5 });
  });
});

describe('a consumer of JetStream', () => {
  const consumer = (info: () => unknown) => ({ info: async () => info(), consume: unused, fetch: unused });
  const look = (info: () => unknown) => jetStream(consumer(info) as never).look(starter);

  it('that tells nothing has nothing to do', async () => {
    for (const info of [{}, undefined, { num_pending: 'many', ack_floor: 5, delivered: null }])
      expect(await look(() => info)).toEqual({
        mark: 0,
        attempts: 0,
        pending: 0,
        paused: false,
        note: undefined,
      });
  });

  it.each(['consumer not found', 'stream not found'])(
    'that the server has no longer is told: %s',
    async (text) => {
      const gone = () => {
        throw new Error(text);
      };
      expect(await look(gone)).toMatchObject({ stopped: 'the server no longer has it' });
      await expect(look(() => Promise.reject(refused))).rejects.toBe(refused);
    },
  );

  it('that gives messages back makes attempts, and no progress', async () => {
    let delivered = 0;
    let floor = 0;
    const config = { deliver_subject: undefined };
    const given = consumer(() => ({
      num_pending: 3,
      num_ack_pending: 0,
      num_waiting: 0,
      ack_floor: { consumer_seq: floor },
      delivered: { consumer_seq: delivered },
      config,
    }));
    const { look: again } = jetStream(given as never);
    expect(await again(starter)).toMatchObject({ attempts: 0, pending: 3, note: 'nothing is pulling' });
    delivered = 5;
    expect(await again(starter)).toMatchObject({ attempts: 5, mark: 0 });
    floor = 1;
    expect(await again(starter)).toMatchObject({ attempts: 5, mark: 1 });
  });

  it('that is slow has what comes again after its time not taken for attempts', async () => {
    for (const [config, expected] of [
      [{}, 4],
      [{ ack_wait: 1e9 }, 0],
    ] as const) {
      let delivered = 0;
      const given = consumer(() => ({
        num_pending: 0,
        num_ack_pending: 1,
        delivered: { consumer_seq: delivered },
        config,
      }));
      const { look: again } = jetStream(given as never);
      await again(starter);
      // Of 30 s, if the server does not tell.
      vi.advanceTimersByTime(10_000);
      delivered = 6;
      expect(await again(starter)).toMatchObject({ attempts: expected });
    }
  });
});

describe('pg-boss', () => {
  const boss = (db: unknown) => emitter({ work: unused, offWork: unused, send: unused, getDb: () => db });
  const settings = { queue: 'jobs', stalledAfter, life: new Life() };
  const answering = (rows: unknown, asked: unknown[] = []) => ({
    executeSql: async (...given: unknown[]) => (asked.push(given), { rows }),
  });

  it('is asked for its own table, or the usual one', async () => {
    const asked: unknown[] = [];
    const own = { ...answering([{ count: '5' }], asked), config: { schema: 'work' } };
    expect(await pgBoss(boss(own) as never, settings).look(starter)).toMatchObject({ pending: 5 });
    expect(
      await pgBoss(boss(answering([{ count: 0 }], asked)) as never, settings).look(starter),
    ).toMatchObject({ pending: 0 });
    expect(asked).toEqual([
      [expect.stringContaining(' FROM work.job '), ['jobs']],
      [expect.stringContaining(' FROM pgboss.job '), ['jobs']],
    ]);
  });

  it.each<[unknown, string]>([
    [undefined, 'pg-boss exposes no database'],
    [{ ...answering([]), config: { schema: 'x; DROP TABLE job' } }, 'pg-boss exposes no database'],
    [answering(undefined), 'pg-boss is not started'],
    [{}, 'pg-boss is not started'],
    [{ ...answering([]), opened: false }, 'pg-boss is not started'],
  ])('that cannot be asked says so: %#', async (db, text) => {
    await expect(async () => pgBoss(boss(db) as never, settings).look(starter)).rejects.toThrow(text);
  });

  it('is stopped until it is started again, whenever the check was created', async () => {
    const db = { ...answering([{ count: 0 }]), opened: true, pool: {} };
    const given = boss(db);
    const early = pgBoss(given as never, settings);
    expect(await early.look(starter)).toMatchObject({ pending: 0 });
    db.opened = false;
    given.emit('stopped');
    const late = pgBoss(given as never, settings);
    const stopped = { stopped: 'the application has stopped pg-boss' };
    for (const { look } of [early, late]) expect(await look(starter)).toMatchObject(stopped);
    Object.assign(db, { opened: true, pool: {} });
    for (const { look } of [early, late]) expect(await look(starter)).not.toHaveProperty('stopped');
  });

  it('has done something where one of its workers has, and not of another queue', async () => {
    const given = boss(answering([{ count: 1 }]));
    const { look } = pgBoss(given as never, settings);
    const markAfter = async (wip: unknown) => {
      given.emit('wip', wip);
      return (await look(starter)).mark;
    };
    expect(await markAfter('nonsense')).toBe(0);
    expect(await markAfter([{ name: 'jobs', id: 'a', lastJobStartedOn: 1 }])).toBe(1);
    expect(
      await markAfter([
        { name: 'jobs', id: 'a', lastJobStartedOn: 1 },
        { name: 'other', id: 'b' },
      ]),
    ).toBe(1);
    expect(await markAfter([{ name: 'jobs', id: 'a', lastJobStartedOn: 1, lastJobEndedOn: 2 }])).toBe(2);
    given.emit('stopped');
    expect(await look(starter)).toMatchObject({ stopped: 'the application has stopped pg-boss' });
  });
});

describe('a channel of amqplib', () => {
  class Channel extends EventEmitter {
    consumers: unknown = new Map([['tag', unused]]);
    connection: { channels: unknown[] };
    ch: number;
    answer: unknown = { messageCount: 3 };
    constructor(connection: { channels: unknown[] }) {
      super();
      this.connection = connection;
      this.ch = connection.channels.push({ channel: this }) - 1;
    }
    async open() {}
    async close() {}
    async checkQueue() {
      const [first] = this.connection.channels;
      return Reflect.get(Object(Reflect.get(Object(first), 'channel')), 'answer');
    }
  }
  const followed = () => {
    const channel = new Channel({ channels: [] });
    return { channel, consumer: amqp(channel as never, { queue: 'jobs', stalledAfter, life: new Life() }) };
  };

  it('has no consumer, or was cancelled by the server', async () => {
    const { channel, consumer } = followed();
    expect(await consumer.look(starter)).toMatchObject({ pending: 3, note: undefined });
    channel.emit('cancel');
    // Another consumer goes on.
    expect(await consumer.look(starter)).toMatchObject({ pending: 3 });
    channel.consumers = new Map();
    expect(await consumer.look(starter)).toMatchObject({ stopped: 'the server cancelled it' });
    const other = followed();
    other.channel.consumers = new Map();
    expect(await other.consumer.look(starter)).toMatchObject({ note: 'this channel has no consumer' });
    other.channel.consumers = undefined;
    other.channel.answer = {};
    expect(await other.consumer.look(starter)).toMatchObject({ pending: 0, note: undefined });
  });

  it('that is closed says why, as far as it is known', async () => {
    const { channel, consumer } = followed();
    channel.connection.channels[0] = null;
    expect(await consumer.look(starter)).toMatchObject({ stopped: 'its channel is closed' });
    channel.on('error', unused);
    channel.emit('error', new Error('Channel closed by server: 404 (NOT-FOUND) with message "secret"'));
    expect(await consumer.look(starter)).toMatchObject({
      stopped: 'its channel was closed: NOT-FOUND (404)',
    });
  });
});

it('what never answers is asked ever more rarely, and believed when it does', async () => {
  const answers: ((answer: number) => void)[] = [];
  const ask = polling('it', () => new Promise((resolve) => void answers.push(resolve)), Number, 'a number');
  const late = { signal: quietController(performance.now()).signal };
  for (let runs = 1; runs < 12; runs += 1)
    await expect(ask(late)).rejects.toThrow('it did not answer in time');
  // Each had no time at all, so that each was given up.
  expect(answers.length).toBeGreaterThan(6);
  const last = ask(starter);
  const asked = answers.length;
  // That one which was given up answers is nothing to those who wait for another.
  answers[0]?.(1);
  await new Promise((resolve) => setImmediate(resolve));
  const joined = ask(starter);
  expect(answers).toHaveLength(asked);
  answers.at(-1)?.(2);
  expect(await Promise.all([last, joined])).toEqual([2, 2]);
});

it.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [1000, '1 s'],
  [119_000, '119 s'],
  [120_000, '2 min'],
  [7_100_000, '118 min'],
  [7_200_000, '2 h'],
  [86_400_000, '24 h'],
])('%d ms are said to be %s', (ms, text) => expect(span(ms)).toBe(text));
