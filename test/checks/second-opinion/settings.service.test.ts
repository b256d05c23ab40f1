import { connect } from 'node:net';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Cluster, Redis } from 'ioredis';
import { Client, Pool, type PoolConfig } from 'pg';
import { createClient } from 'redis';
import { createClient as createClient4 } from 'redis4';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDatabaseConnected, checkRedisConnected } from 'lifesign/checks';
import { canStart, startService } from '../../services/index.js';
import type { RunningService } from '../../services/service.js';
import { planted } from '../database-scenario.js';
import { type Proxy, startProxy } from '../proxy.js';
import { type Fronts, openFronts } from './fronts.js';
import { opinionsOf, someOf } from './opinions.js';

/** What is said while the server is well, and after nobody listens there any more. */
type Expected = 'instance' | 'impossible' | 'shared';
interface Way {
  readonly client: unknown;
  close(): unknown;
}
type Ways = Readonly<
  Record<string, readonly [Expected, (at: Fronts & { readonly port: number }) => Way | Promise<Way>]>
>;

const evidence: Readonly<Record<Expected, RegExp>> = {
  instance: /^a fresh connection works$/,
  impossible: /^this client cannot open a fresh connection$/,
  shared: /^a fresh connection fails too: /,
};
const { user, password, database } = planted;

function pool(config: PoolConfig): Way {
  const made = new Pool({ user, password, database, host: '127.0.0.1', max: 2, ...config });
  made.on('error', () => {});
  return { client: made, close: () => (made.ended ? undefined : made.end()) };
}
const byUrl = (connectionString: string): Way => {
  const made = new Pool({ connectionString });
  made.on('error', () => {});
  return { client: made, close: () => made.end() };
};

const postgresWays: Ways = {
  'a password that a function returns': ['instance', ({ port }) => pool({ port, password: () => password })],
  'a password that a function promises': [
    'instance',
    ({ port }) =>
      pool({
        port,
        password: async () => password,
      }),
  ],
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
  'a password that a function rejects': [
    'shared',
    ({ port }) => pool({ port, password: () => Promise.reject(new Error('no token to be had')) }),
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
  'one connection at most': ['instance', ({ port }) => pool({ port, max: 1 })],
  'a stream that a function makes': [
    'instance',
    // As a connector to a cloud, or a tunnel, has it.
    ({ port }) => pool({ port: 1, stream: () => connectLater(port) }),
  ],
  'a class of its own': ['instance', ({ port }) => pool({ port, Client: class Traced extends Client {} })],
  'a pool that the application has ended': [
    'instance',
    async ({ port }) => {
      const way = pool({ port });
      await (way.client as Pool).end();
      return way;
    },
  ],
  'a wrong password': ['shared', ({ port }) => pool({ port, password: 'wr0ng' })],
  'Drizzle over it': [
    'instance',
    ({ port }) => {
      const { client, close } = pool({ port });
      return { client: drizzle({ client: client as Pool }), close };
    },
  ],
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
  return { client: made, close: () => (made.isOpen ? made.disconnect() : undefined) };
};
const ioredis = async (made: Redis): Promise<Way> => {
  made.on('error', () => {});
  await made.ping().catch(() => {});
  return { client: made, close: () => made.disconnect() };
};
const insecure = { rejectUnauthorized: false };

const redisWays: Ways = {
  'ioredis over TLS': [
    'instance',
    ({ tls }) => ioredis(new Redis({ port: tls, username: user, password, tls: insecure })),
  ],
  'ioredis by rediss://': [
    'instance',
    ({ tls }) => ioredis(new Redis(`rediss://${user}:${password}@127.0.0.1:${tls}/0`, { tls: insecure })),
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
  'ioredis that was never connected': [
    'instance',
    ({ port }) => {
      const made = new Redis({ port, username: user, password, lazyConnect: true });
      made.on('error', () => {});
      return { client: made, close: () => made.disconnect() };
    },
  ],
  'ioredis that the application has quit': [
    'instance',
    async ({ port }) => {
      const way = await ioredis(new Redis({ port, username: user, password }));
      await (way.client as Redis).quit();
      return way;
    },
  ],
  'a cluster of ioredis': [
    'impossible',
    ({ port }) => {
      const made = new Cluster([{ host: '127.0.0.1', port }], {
        redisOptions: { username: user, password },
        clusterRetryStrategy: () => null,
      });
      made.on('error', () => {});
      return { client: made, close: () => made.disconnect() };
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
  'redis 5 that the application has closed': [
    'instance',
    async ({ port }) => {
      const way = await nodeRedis(() =>
        createClient({ url: `redis://${user}:${password}@127.0.0.1:${port}` }),
      );
      await way.close();
      return way;
    },
  ],
};

const some = /fails to get|^TLS$|file system|ended|redis 5 over TLS|ioredis over TLS$/;

/** Each way: what is said of a server that is well, then of one where nobody listens; nothing is left, and nothing thrown. */
function exercise(
  ways: Ways,
  port: () => number,
  checkOf: (client: never) => Parameters<typeof opinionsOf>[0],
): void {
  const all = Object.entries(ways).map(([name, way]) => ({ name, way }));
  it.each(someOf(all, some))('$name', async ({ way: [expected, make] }) => {
    const proxy: Proxy = await startProxy(port());
    const fronts = await openFronts(proxy.port);
    const open = await make({ ...fronts, port: proxy.port });
    try {
      const opinions = opinionsOf(checkOf(open.client as never));
      await opinions.ask();
      const before = proxy.open();
      const well = await opinions.ask();
      expect(well.evidence).toMatch(evidence[expected]);
      expect(well.scope).toBe(expected === 'instance' ? 'instance' : 'shared');
      await expect.poll(proxy.open).toBeLessThanOrEqual(before);
      await fronts.close();
      await proxy.close();
      const away = await opinions.opinion();
      expect(away.scope).toBe('shared');
      await expect.poll(proxy.open).toBe(0);
    } finally {
      await Promise.race([open.close(), new Promise((resolve) => setTimeout(resolve, 500))]);
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
  exercise(postgresWays, () => server.port, checkDatabaseConnected);

  it('a stream that pg is given is not used for another connection', async () => {
    const proxy = await startProxy(server.port);
    const stream = connectLater(proxy.port);
    const way = pool({ port: 1, stream: () => stream });
    const { options } = way.client as { options: PoolConfig };
    Object.assign(options, { stream });
    const opinions = opinionsOf(checkDatabaseConnected(way.client as Pool));
    expect(await opinions.opinion()).toMatchObject({ scope: 'shared' });
    expect(stream.destroyed).toBe(false);
    stream.destroy();
    await proxy.close();
  });
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
  exercise(redisWays, () => server.port, checkRedisConnected);
});
