import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Check,
  checkBrokerConnected,
  checkDatabaseConnected,
  checkRedisConnected,
} from 'lifesign/checks';
import express from 'express';
import * as checks from 'lifesign/checks';
import type { LogRecord } from 'lifesign';
import { Health } from 'lifesign/express';
import { turn, until } from '../core/waiting.js';

const none = () => {};
const names = (...all: string[]) => Object.fromEntries(all.map((name) => [name, none]));

/** A client of the application, which listens to it, too. */
function client(more: object, ...methods: string[]): EventEmitter {
  const made = Object.assign(new EventEmitter(), names(...methods), more);
  return made.on('error', none).on('ready', none).on('disconnected', none);
}

/** kafkajs has no way to take a listener away but what `on` returns. */
function kafka() {
  const inner = new EventEmitter();
  const on = (event: string, heard: () => void) => {
    inner.on(event, heard);
    return () => inner.off(event, heard);
  };
  const events = { CONNECT: 'connect', CRASH: 'crash', GROUP_JOIN: 'join', HEARTBEAT: 'beat', STOP: 'stop' };
  return { inner, consumer: { on, events, describeGroup: async () => ({}), paused: () => [] } };
}

const redis = (more: object = {}) =>
  client({ status: 'ready', ping: async () => 'PONG', ...more }, 'disconnect');
/** amqplib has its methods on the prototype. */
const channel = () =>
  Object.setPrototypeOf(
    client({}, 'ack', 'nack', 'checkQueue', 'consume'),
    Object.create(EventEmitter.prototype, { sendImmediately: { value: none, writable: true } }),
  ) as EventEmitter;
const options = { stalledAfter: 60_000 };
const worker = () => client({ name: 'jobs', isPaused: () => false }, 'isRunning', 'waitUntilReady');
const queue = { name: 'jobs', ...names('getJobCounts', 'isPaused', 'add') } as never;
const connection = () => client({}, 'createChannel', 'createConfirmChannel');
const boss = () => client({ getDb: none }, 'work', 'offWork', 'send');

/** Of each kind of client: what is listened to, and its check. */
const kinds: Readonly<Record<string, () => { emitter: EventEmitter; check: () => Check }>> = {
  ...one('ioredis', redis, checkRedisConnected),
  ...one('ioredis offline', () => redis({ status: 'reconnecting' }), checkRedisConnected),
  ...one('@adonisjs/redis', redis, (made) => checkRedisConnected({ ioConnection: made })),
  ...one(
    'redis',
    () => client({ isOpen: true, isReady: false, ping: async () => 'PONG' }, 'sendCommand'),
    checkRedisConnected,
  ),
  ...one(
    'pg',
    () =>
      client(
        {
          connect: async () => Object.assign(client({}, 'release'), { query: async () => ({ rows: [] }) }),
          totalCount: 0,
          idleCount: 0,
          waitingCount: 0,
        },
        'query',
      ),
    checkDatabaseConnected,
  ),
  ...one('amqplib', connection, checkBrokerConnected),
  ...one(
    'amqp-connection-manager',
    () => client({ connection: undefined, isConnected: () => false }, 'createChannel'),
    checkBrokerConnected,
  ),
  ...one('a function', connection, (made) => checkBrokerConnected(() => made)),
  ...one(
    'bullmq',
    () => redis({ status: 'reconnecting' }),
    (made) => checkBrokerConnected(Object.assign(worker(), { connection: { _client: made } }) as never),
  ),
  ...one('progress of bullmq', worker, (made) => checks.progress({ consumer: made, queue, ...options })),
  ...one('progress of amqplib', channel, (made) =>
    checks.progress({ consumer: made, queue: 'jobs', ...options }),
  ),
  ...one('progress of a function', channel, (made) =>
    checks.progress({ consumer: () => made, queue: 'jobs', ...options }),
  ),
  ...one('progress of pg-boss', boss, (made) =>
    checks.progress({ consumer: made, queue: 'jobs', ...options }),
  ),
  kafkajs() {
    const { inner, consumer } = kafka();
    return { emitter: inner, check: () => checkBrokerConnected(consumer) };
  },
  'progress of kafkajs'() {
    const { inner, consumer } = kafka();
    return { emitter: inner, check: () => checks.progress({ consumer, ...options }) };
  },
};

function one(name: string, make: () => EventEmitter, check: (made: never) => Check) {
  return {
    [name]() {
      const emitter = make();
      return { emitter, check: () => check(emitter as never) };
    },
  };
}

function kindOf(name: string) {
  const kind = kinds[name];
  if (kind === undefined) throw new Error(`No kind ${name}`);
  return kind();
}

/** How many listeners there are for each event, and whether a method is replaced. */
const look = (emitter: EventEmitter) => ({
  ...Object.fromEntries(emitter.eventNames().map((name) => [String(name), emitter.listenerCount(name)])),
  replaced: Object.hasOwn(emitter, 'sendImmediately'),
});

/** A Health that has a check, whose client is listened to for the probes, too. */
function healthOf(check: Check): Health {
  const health = new Health({ timeout: 100, logger: false, probes: true });
  health.check('client', check);
  return health;
}

type Step = readonly ['open' | 'share' | 'close' | 'reopen' | 'beat', number];
const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom('open', 'open', 'share', 'close', 'reopen', 'beat'),
  fc.nat({ max: 20 }),
);

test.each(Object.keys(kinds))('%s: one listener for all Healths, none once they are closed', async (kind) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const { emitter, check } = kindOf(kind);
      const before = look(emitter);
      const healths: Health[] = [];
      const made: Check[] = [];
      const open = (registered: Check) => {
        healths.push(healthOf(registered));
        made.push(registered);
      };
      for (const [action, at] of steps) {
        const health = healths[at % Math.max(1, healths.length)];
        if (action === 'open') open(check());
        else if (action === 'share') open(made[at % Math.max(1, made.length)] ?? check());
        else if (action === 'close') health?.close();
        else if (action === 'reopen' && health !== undefined) health.initApp(express());
        else await health?.heartbeat();
        await turn();
        const now = Object.entries(look(emitter)).map(
          ([name, count]) => Number(count) - Number(Reflect.get(before, name) ?? 0),
        );
        expect(Math.max(...now)).toBeLessThanOrEqual(1);
      }
      for (const health of healths) health.close();
      // What is under way ends with its own time.
      await until(() => JSON.stringify(look(emitter)) === JSON.stringify(before));
    }),
    { numRuns: 15 },
  );
  const { emitter, check } = kindOf(kind);
  const before = JSON.stringify(look(emitter));
  const health = healthOf(check());
  void health.heartbeat();
  // Otherwise there would have been nothing to give back.
  await until(() => JSON.stringify(look(emitter)) !== before);
  health.close();
  await until(() => JSON.stringify(look(emitter)) === before);
});

test('errors of a client are heard only where the application does not, and the first is told with what to write', async () => {
  const records: LogRecord[] = [];
  const logger = { log: (record: LogRecord) => void records.push(record) };
  const lost = new Error('terminating connection due to administrator command');
  const pool = () => {
    const counts = { totalCount: 0, idleCount: 0, waitingCount: 0 };
    return Object.assign(new EventEmitter(), names('connect', 'query'), counts);
  };
  const [silent, heard] = [pool(), pool().on('error', none)];
  const healths = [silent, heard].map((each) => new Health({ logger, db: { $client: each } as never }));
  await until(() => silent.listenerCount('error') === 1);
  for (const each of [silent, heard, silent]) each.emit('error', lost);
  expect(heard.listeners('error')).toEqual([none]);
  expect(records).toEqual([
    expect.objectContaining({ level: 30, error: lost, msg: expect.stringContaining("pool.on('error'") }),
  ]);
  // Once the application listens, nothing more is said.
  silent.on('error', none);
  silent.emit('error', lost);
  expect(records).toHaveLength(1);
  for (const health of healths) health.close();
  expect(silent.listeners('error')).toEqual([none]);
});
