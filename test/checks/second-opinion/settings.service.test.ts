import { connect } from 'node:net';
import { Cluster, Redis } from 'ioredis';
import { Client, Pool, type PoolConfig } from 'pg';
import { createClient } from 'redis';
import { createClient as createClient4 } from 'redis4';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HealthOptions } from 'lifesign';
import { canStart, startService } from '../../services/index.js';
import type { RunningService } from '../../services/service.js';
import { planted } from '../database-scenario.js';
import { startProxy } from '../proxy.js';
import { type Fronts, openFronts } from './fronts.js';
import { probed } from './probed.js';

/** What is said of a client that the application has closed, so that only the fresh connection is seen, while the server is well. */
type Expected = 'instance' | 'impossible' | 'shared';
interface Way {
  readonly options: HealthOptions;
  close(): unknown;
}
type Ways = Readonly<
  Record<string, readonly [Expected, (at: Fronts & { readonly port: number }) => Way | Promise<Way>]>
>;

const said: Readonly<Record<Expected, RegExp>> = {
  instance: /instance: a fresh connection works$/,
  impossible: /shared: this client cannot open a fresh connection$/,
  shared: /shared: a fresh connection fails too: /,
};
const { user, password, database } = planted;

function pool(config: PoolConfig): Way {
  const made = new Pool({ user, password, database, host: '127.0.0.1', max: 2, ...config });
  made.on('error', () => {});
  return { options: { db: made }, close: () => made.end() };
}
const byUrl = (connectionString: string): Way => pool({ connectionString });

const postgresWays: Ways = {
  'a password that a function returns': ['instance', ({ port }) => pool({ port, password: () => password })],
  'a password that a function fails to get': [
    'shared',
    ({ port }) =>
      pool({
        port,
        password() {
          throw new Error('no token to be had');
        },
      }),
  ],
  TLS: ['instance', ({ pgTls }) => pool({ port: pgTls, ssl: { rejectUnauthorized: false } })],
  'TLS that is not trusted': ['shared', ({ pgTls }) => pool({ port: pgTls, ssl: true })],
  'TLS where the server has none': [
    'shared',
    ({ port }) => pool({ port, ssl: { rejectUnauthorized: false } }),
  ],
  'a socket of the file system': ['instance', ({ directory }) => pool({ host: directory, port: 5432 })],
  'a connection string': [
    'instance',
    ({ port }) =>
      byUrl(
        `postgres://${user}:${password}@127.0.0.1:${port}/${database}?application_name=shop&options=-c%20statement_timeout%3D9000`,
      ),
  ],
  'a connection string with ?host=': [
    'instance',
    ({ directory }) =>
      byUrl(`postgres://${user}:${password}@/${database}?host=${encodeURIComponent(directory)}`),
  ],
  'a stream that a function makes': [
    'instance',
    // As a connector to a cloud, or a tunnel, has it.
    ({ port }) => pool({ port: 1, stream: () => connectLater(port) }),
  ],
  'a class of its own': ['instance', ({ port }) => pool({ port, Client: class Traced extends Client {} })],
};

/** A socket that pg connects by itself, to another port than it was told. */
function connectLater(port: number) {
  const socket = connect({ port, host: '127.0.0.1', autoSelectFamily: false });
  Object.assign(socket, { connect: () => socket });
  return socket;
}

/** What is called of a client of any version: the compiler takes seconds to compare two of them in whole. */
interface NodeRedis {
  readonly isOpen: boolean;
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
}
const nodeRedis = async (make: () => NodeRedis): Promise<Way> => {
  const made = make();
  made.on('error', () => {});
  await made.connect().catch(() => {});
  return {
    options: { redis: made as never },
    close: () => (made.isOpen ? made.disconnect() : undefined),
  };
};
const ioredis = async (made: Redis): Promise<Way> => {
  made.on('error', () => {});
  await made.ping().catch(() => {});
  return { options: { redis: made }, close: () => made.disconnect() };
};
const insecure = { rejectUnauthorized: false };

const redisWays: Ways = {
  'ioredis over TLS': [
    'instance',
    ({ tls }) => ioredis(new Redis({ port: tls, username: user, password, tls: insecure })),
  ],
  'ioredis over TLS that is not trusted': [
    'shared',
    ({ tls }) =>
      ioredis(new Redis({ port: tls, username: user, password, tls: {}, retryStrategy: () => null })),
  ],
  'ioredis over a socket of the file system': [
    'instance',
    ({ path }) => ioredis(new Redis({ path, username: user, password })),
  ],
  'a cluster of ioredis': [
    'impossible',
    ({ port }) => {
      const made = new Cluster([{ host: '127.0.0.1', port }], {
        redisOptions: { username: user, password },
        clusterRetryStrategy: () => null,
      });
      made.on('error', () => {});
      return { options: { redis: made }, close: () => made.disconnect() };
    },
  ],
  'redis 5 over TLS': [
    'instance',
    ({ tls }) =>
      nodeRedis(() =>
        createClient({
          username: user,
          password,
          socket: { host: '127.0.0.1', port: tls, tls: true, ...insecure },
        }),
      ),
  ],
  'redis 4 over TLS': [
    'instance',
    ({ tls }) =>
      nodeRedis(() =>
        createClient4({
          username: user,
          password,
          socket: { host: '127.0.0.1', port: tls, tls: true, ...insecure },
        }),
      ),
  ],
  'redis 5 over a socket of the file system': [
    'instance',
    ({ path }) => nodeRedis(() => createClient({ username: user, password, socket: { path, tls: false } })),
  ],
  'redis 5 with a provider of credentials': [
    'instance',
    ({ port }) =>
      nodeRedis(() =>
        createClient({
          socket: { host: '127.0.0.1', port },
          credentialsProvider: {
            type: 'async-credentials-provider',
            credentials: async () => ({ username: user, password }),
          },
        }),
      ),
  ],
};

/** Each way: what is said of a server that is well, then of one where nobody listens; nothing is left open. */
function exercise(ways: Ways, port: () => number): void {
  it.each(Object.entries(ways))('%s', async (_name, [expected, make]) => {
    const proxy = await startProxy(port());
    const fronts = await openFronts(proxy.port);
    const { options, close } = await make({ ...fronts, port: proxy.port });
    try {
      await Promise.race([close(), new Promise((resolve) => setTimeout(resolve, 500))]);
      const { health, until } = probed(options);
      await until(said[expected]);
      await fronts.close();
      await proxy.close();
      await until(expected === 'impossible' ? said.impossible : said.shared);
      health.close();
      await expect.poll(proxy.open, { timeout: 10_000 }).toBe(0);
    } finally {
      await fronts.close();
      await proxy.close();
    }
  });
}

describe.skipIf(!canStart('postgres'))('second opinions on PostgreSQL, by settings of many kinds', () => {
  let server: RunningService;
  beforeAll(async () => {
    server = await startService('postgres');
    const owner = new Client(server.url);
    await owner.connect();
    await owner.query(`CREATE USER ${user} PASSWORD '${password}'`);
    await owner.query(`CREATE DATABASE ${database} OWNER ${user}`);
    await owner.end();
  });
  afterAll(() => server?.stop());
  exercise(postgresWays, () => server.port);
});

describe.skipIf(!canStart('redis'))('second opinions on Redis, by settings of many kinds', () => {
  let server: RunningService;
  beforeAll(async () => {
    server = await startService('redis');
    const owner = new Redis(server.url);
    await owner.call('ACL', 'SETUSER', user, 'on', `>${password}`, '~*', '&*', '+@all');
    owner.disconnect();
  });
  afterAll(() => server?.stop());
  exercise(redisWays, () => server.port);
});
