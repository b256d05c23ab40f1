// Clients that could not connect when the application started, and that do not try again: the reason is theirs no more.
import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { GlideClient } from '@valkey/valkey-glide';
import mongoose from 'mongoose';
import { createConnection } from 'mysql2';
import pg from 'pg';
import { createClient } from 'redis';
import { DataSource } from 'typeorm';
import { expect, onTestFinished, test } from 'vitest';
import { checks, Health, type HealthOptions } from 'lifesign/node';
import { until } from '../core/waiting.js';
import { canStart, sharedService, startService } from '../services/index.js';
import { freePort } from '../services/port.js';

const port = await freePort();
const url = `postgres://planted_user:pl4nted@127.0.0.1:${port}/d`;
const silent = () => {};
const refused = `connection refused (ECONNREFUSED 127.0.0.1:${port})`;

/** What the checks of a Health say. */
async function said(options: HealthOptions, add: (health: Health) => void = silent) {
  const health = new Health(createServer(), { ...options, logger: false });
  onTestFinished(() => health.close());
  add(health);
  const { results } = await health.heartbeat();
  return results.flatMap(({ messages }) => messages.map(({ id, text }) => `${id} ${text}`));
}

async function typeorm(options: ConstructorParameters<typeof DataSource>[0]): Promise<DataSource> {
  const source = new DataSource(options);
  await source.initialize().catch(silent);
  return source;
}

/** A client of a database that could not connect. */
const databases: readonly (readonly [string, string, () => Promise<HealthOptions['db']>])[] = [
  ['TypeORM on pg', 'the DataSource is not initialized', () => typeorm({ type: 'postgres', url })],
  [
    'TypeORM on mysql2',
    'the DataSource is not initialized',
    () => typeorm({ type: 'mysql', host: '127.0.0.1', port, username: 'u' }),
  ],
  [
    'pg Client',
    'the Client could not connect, and does not try again',
    async () => {
      const client = new pg.Client(url);
      client.on('error', silent);
      await client.connect().catch(silent);
      return client;
    },
  ],
  [
    'mysql2',
    'the connection could not be made, and does not try again',
    async () => {
      const connection = createConnection({ host: '127.0.0.1', port });
      await new Promise((resolve) => connection.on('error', resolve));
      return connection;
    },
  ],
];
test.each(databases)('%s says why it could not connect', async (_name, state, open) => {
  const db = await open();
  const expected = [`health.E001 Cannot connect to the database: ${refused}; ${state}`];
  expect(await said({ db })).toEqual(expected);
  // And says it again: a query to it must not wait for ever.
  expect(await said({ db })).toEqual(expected);
});

test('mongoose says why it could not connect', async () => {
  let messages: readonly string[] = [];
  // A driver without a processor gives up before it has tried to connect, and knows no cause.
  await until(async () => {
    const connection = mongoose.createConnection();
    await connection
      .openUri(`mongodb://127.0.0.1:${port}/x`, { serverSelectionTimeoutMS: 500 })
      .catch(silent);
    messages = await said({}, (health) => health.check('mongo', checks.mongo(connection)));
    return messages.some((message) => message.includes(refused));
  });
  expect(messages).toEqual([`health.E021 Cannot reach MongoDB: ${refused}; the client is closed`]);
});

const redises: readonly (readonly [string, () => Promise<HealthOptions['redis']>])[] = [
  [
    'ioredis without retries',
    async () => {
      const client = new Redis(port, '127.0.0.1', { retryStrategy: () => null });
      client.on('error', silent);
      await new Promise((resolve) => client.once('end', resolve));
      return client;
    },
  ],
  [
    'node-redis without retries',
    async () => {
      const client = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: false } });
      client.on('error', silent);
      await client.connect().catch(silent);
      return client;
    },
  ],
];
test.each(redises)('%s says why it could not connect', async (_name, open) => {
  const expected = [`health.E004 Cannot connect to redis: ${refused}; the client is closed`];
  expect(await said({ redis: await open() })).toEqual(expected);
});

const shared = sharedService('postgres');
test.skipIf(shared === undefined)(
  'TypeORM says what the server refused, and that it is not initialised if nothing is refused',
  async () => {
    const right = new URL(shared ?? '');
    const wrong = new URL(right);
    wrong.pathname = '/no_such_base';
    expect(await said({ db: await typeorm({ type: 'postgres', url: wrong.href }) })).toEqual([
      'health.E003 Database misconfigured: this database does not exist (3D000); the DataSource is not initialized',
    ]);
    expect(await said({ db: new DataSource({ type: 'postgres', url: right.href }) })).toEqual([
      'health.E003 Database misconfigured: the DataSource is not initialized',
    ]);
  },
);

test.skipIf(!canStart('redis'))('GLIDE says which server is gone', async () => {
  const server = await startService('redis');
  onTestFinished(() => server.stop());
  const redis = await GlideClient.createClient({
    addresses: [{ host: '127.0.0.1', port: server.port }],
    requestTimeout: 300,
  });
  onTestFinished(() => redis.close());
  expect(await said({ redis })).toEqual([]);
  server.freeze();
  expect(await said({ redis })).toEqual([expect.stringContaining('no answer in time')]);
  await server.kill();
  const gone = `health.E004 Cannot connect to redis: connection refused (ECONNREFUSED 127.0.0.1:${server.port})`;
  await until(async () => (await said({ redis })).join() === gone);
});
