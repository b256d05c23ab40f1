import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { checks, type LogRecord } from 'lifesign';
import { Health } from 'lifesign/express';
import express from 'express';
import { until } from './say.js';

const emitter = (members: object = {}) => Object.assign(new EventEmitter(), members);
const unused = () => {};

/** A pg pool that makes a connection for each request unless one is idle, as pg does. */
function pgPool() {
  const made: object[] = [];
  const idle: object[] = [];
  const connection = () => {
    const client = emitter({
      query: async () => ({ rows: [{ one: 1 }] }),
      release: (destroy?: boolean) => void (destroy === true || idle.push(client)),
    });
    made.push(client);
    return client;
  };
  const connect = (done: (error: unknown, client: unknown) => void) =>
    done(undefined, idle.pop() ?? connection());
  const counts = { totalCount: 0, idleCount: 0, waitingCount: 0 };
  return { made, pool: emitter({ connect, query: unused, _clients: made, ...counts }) };
}
const nodeRedis = () =>
  emitter({ sendCommand: unused, isOpen: true, isReady: true, ping: async () => 'PONG' });

function logged() {
  const records: LogRecord[] = [];
  return { records, logger: { log: (record: LogRecord) => void records.push(record) } };
}
const lost = new Error('terminating connection due to administrator command');
const listened = (client: EventEmitter, count = 1) =>
  until(() => expect(client.listenerCount('error')).toBe(count));

/** Waits until a Health that is made now listens: those made before would, too. */
async function laterOnes(make: () => EventEmitter, options: (client: never) => object) {
  const client = make();
  const health = new Health({ logger: { log: unused }, ...options(client as never) });
  await listened(client);
  health.close();
}

const clients: readonly [string, () => EventEmitter, (client: never) => object, RegExp][] = [
  ['db: pg Pool', () => pgPool().pool, (db) => ({ db }), /pg pool .* Write pool\.on\('error'/],
  ['db: Drizzle', () => pgPool().pool, (pool) => ({ db: { $client: pool } }), /pg pool/],
  ['db: { main }', () => pgPool().pool, (main) => ({ db: { main } }), /pg pool/],
  [
    'migrations: node-pg-migrate',
    () => pgPool().pool,
    (dbClient) => ({ migrations: { dbClient, dir: import.meta.dirname, migrationsTable: 'pgmigrations' } }),
    /pg pool/,
  ],
  ['redis: node-redis', nodeRedis, (redis) => ({ redis }), /redis client .* Write client\.on\('error'/],
];

describe.each(clients)('%s without a listener for errors', (_what, make, options, said) => {
  it('is listened to until close(), and the first error is one warning that says what to write', async () => {
    const client = make();
    const { records, logger } = logged();
    const health = new Health({ logger, ...options(client as never) });
    await listened(client);
    for (let count = 0; count < 3; count += 1) client.emit('error', lost);
    expect(records).toEqual([
      expect.objectContaining({ logger: 'health', level: 30, msg: expect.stringMatching(said), error: lost }),
    ]);
    health.close();
    expect(client.listenerCount('error')).toBe(0);
    expect(() => client.emit('error', lost)).toThrow(lost);
  });

  it('is not listened to if the application does, and nothing is said if it does later', async () => {
    const { records, logger } = logged();
    const early = make();
    const late = make();
    early.on('error', unused);
    const healths = [early, late].map((client) => new Health({ logger, ...options(client as never) }));
    await listened(late);
    late.on('error', unused);
    for (const client of [early, late]) client.emit('error', lost);
    expect(early.listeners('error')).toEqual([unused]);
    expect(records).toEqual([]);
    for (const health of healths) health.close();
    expect(late.listeners('error')).toEqual([unused]);
  });

  it('has one listener for any number of Healths and checks, until the last is closed', async () => {
    const client = make();
    const { records, logger } = logged();
    const healths = Array.from({ length: 12 }, () => new Health({ logger, ...options(client as never) }));
    await listened(client);
    await laterOnes(make, options);
    for (const [index, health] of healths.entries()) {
      expect(client.listenerCount('error')).toBe(1);
      if (index === 11) client.emit('error', lost);
      health.close();
    }
    expect(client.listenerCount('error')).toBe(0);
    expect(records).toHaveLength(1);
  });

  it('is left alone by a Health that is closed at once, and listened to again by initApp', async () => {
    const client = make();
    const health = new Health({ logger: { log: unused }, ...options(client as never) });
    health.close();
    await laterOnes(make, options);
    expect(client.listenerCount('error')).toBe(0);
    health.initApp(express());
    await listened(client);
    health.close();
    expect(client.listenerCount('error')).toBe(0);
  });
});

it('keeps the connection that a check made, and closes it without a Health', async () => {
  const { made, pool } = pgPool();
  const check = checks.checkDatabaseConnected(pool as never);
  const signal = AbortSignal.timeout(10_000);
  for (let count = 0; count < 3; count += 1) await check({ signal, name: 'alone' });
  expect(made).toHaveLength(3);
  const health = new Health({ logger: { log: unused } });
  // Under any name.
  health.check('orders', check);
  await listened(pool);
  for (let count = 0; count < 100; count += 1) await health.heartbeat();
  expect(made).toHaveLength(4);
  health.close();
  expect(pool.listenerCount('error')).toBe(0);
});
