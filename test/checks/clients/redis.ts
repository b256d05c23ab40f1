import { GlideClient, GlideClusterClient } from '@valkey/valkey-glide';
import { Cluster, Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { Redis as Valkey } from 'iovalkey';
import { createClient, createCluster, createSentinel } from 'redis';
import { createClient as createClient4, createCluster as createCluster4 } from 'redis4';
import { createClient as createClient6 } from 'redis6';
import type { RedisClient } from 'lifesign/checks';

/** Where and as whom a client connects. */
export interface RedisTarget {
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

export interface OpenRedis {
  readonly client: RedisClient;
  readonly close: () => unknown;
  /** Listens to a channel; only of a client of one server. */
  readonly subscribe?: () => Promise<unknown>;
  /** Waits for something that never comes. */
  readonly block?: () => unknown;
}

export interface ExercisedRedis {
  readonly name: string;
  readonly package: string;
  /** What kind of server it needs. */
  readonly server?: 'cluster' | 'sentinel';
  /** True where the client cannot even be made while the server refuses it. */
  readonly failsToOpen?: true;
  open(target: RedisTarget): Promise<OpenRedis>;
}

const silent = () => {};

interface IoredisOptions {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly retryStrategy: () => number;
}

/** What is called of an ioredis of any version: the compiler takes seconds to compare two of them in whole. */
interface Ioredis {
  on(event: 'error', listener: () => void): unknown;
  once(event: string, listener: () => void): unknown;
  subscribe(channel: string): Promise<unknown>;
  blpop(key: string, timeout: number): Promise<unknown>;
  disconnect(): void;
}

function ioredisOf(create: (options: IoredisOptions) => Ioredis & RedisClient) {
  return async (target: RedisTarget): Promise<OpenRedis> => {
    const client = create({ host: '127.0.0.1', ...target, retryStrategy: () => 100 });
    client.on('error', silent);
    await settled(client);
    return {
      client,
      close: () => client.disconnect(),
      subscribe: () => client.subscribe('news'),
      block: () => client.blpop('nothing', 0).catch(silent),
    };
  };
}

interface NodeRedisOptions {
  readonly username: string;
  readonly password: string;
  readonly socket: { readonly host: string; readonly port: number; readonly reconnectStrategy: 100 };
}

/** What is called of a node-redis of any version. */
interface NodeRedis {
  on(event: 'error', listener: () => void): unknown;
  once(event: string, listener: () => void): unknown;
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: () => void): Promise<unknown>;
  blPop(key: string, timeout: number): Promise<unknown>;
  disconnect(): Promise<unknown>;
}

function nodeRedisOf(create: (options: NodeRedisOptions) => NodeRedis & RedisClient) {
  return async ({ port, username, password }: RedisTarget): Promise<OpenRedis> => {
    const socket = { host: '127.0.0.1', port, reconnectStrategy: 100 } as const;
    const client = create({ username, password, socket });
    client.on('error', silent);
    client.connect().catch(silent);
    await settled(client);
    return {
      client,
      close: () => client.disconnect().catch(silent),
      subscribe: () => client.subscribe('news', silent),
      block: () => client.blPop('nothing', 0).catch(silent),
    };
  };
}

/** Until it is connected or failed for the first time. */
function settled(client: { once(event: string, listener: () => void): unknown }): Promise<void> {
  return new Promise((resolve) => {
    client.once('ready', resolve);
    client.once('error', resolve);
  });
}

export const redisClients: readonly ExercisedRedis[] = [
  { name: 'ioredis', package: 'ioredis', open: ioredisOf((options) => new Redis(options)) },
  { name: 'ioredis 6', package: 'ioredis6', open: ioredisOf((options) => new Redis6(options)) },
  { name: 'iovalkey', package: 'iovalkey', open: ioredisOf((options) => new Valkey(options)) },
  { name: 'redis 4', package: 'redis4', open: nodeRedisOf((options) => createClient4(options)) },
  { name: 'redis 5', package: 'redis', open: nodeRedisOf((options) => createClient(options)) },
  { name: 'redis 6', package: 'redis6', open: nodeRedisOf((options) => createClient6(options)) },
  {
    name: 'valkey-glide',
    package: '@valkey/valkey-glide',
    failsToOpen: true,
    async open({ port, username, password }) {
      const client = await GlideClient.createClient({
        addresses: [{ host: '127.0.0.1', port }],
        credentials: { username, password },
        requestTimeout: 300,
        connectionBackoff: { numberOfRetries: 5, factor: 50, exponentBase: 1 },
      });
      return { client, close: () => client.close() };
    },
  },
  {
    name: 'ioredis Cluster',
    package: 'ioredis',
    server: 'cluster',
    async open({ port, username, password }) {
      const client = new Cluster([{ host: '127.0.0.1', port }], {
        redisOptions: { username, password },
        clusterRetryStrategy: () => 100,
      });
      client.on('error', silent);
      await settled(client);
      return { client, close: () => client.disconnect() };
    },
  },
  {
    name: 'redis 4 cluster',
    package: 'redis4',
    server: 'cluster',
    async open({ port, username, password }) {
      const client = createCluster4({
        rootNodes: [{ socket: { host: '127.0.0.1', port } }],
        defaults: { username, password, socket: { reconnectStrategy: 100 } },
      });
      client.on('error', silent);
      await client.connect();
      return { client, close: () => client.disconnect().catch(silent) };
    },
  },
  {
    name: 'redis 5 cluster',
    package: 'redis',
    server: 'cluster',
    async open({ port, username, password }) {
      const client = createCluster({
        rootNodes: [{ socket: { host: '127.0.0.1', port } }],
        defaults: { username, password, socket: { reconnectStrategy: 100 } },
      });
      client.on('error', silent);
      await client.connect();
      return { client, close: () => client.destroy() };
    },
  },
  {
    name: 'valkey-glide cluster',
    package: '@valkey/valkey-glide',
    server: 'cluster',
    failsToOpen: true,
    async open({ port, username, password }) {
      const client = await GlideClusterClient.createClient({
        addresses: [{ host: '127.0.0.1', port }],
        credentials: { username, password },
        requestTimeout: 300,
      });
      return { client, close: () => client.close() };
    },
  },
  {
    name: 'ioredis by sentinel',
    package: 'ioredis',
    server: 'sentinel',
    async open({ port, username, password }) {
      const client = new Redis({
        sentinels: [{ host: '127.0.0.1', port }],
        name: 'main',
        username,
        password,
        sentinelRetryStrategy: () => 100,
        retryStrategy: () => 100,
      });
      client.on('error', silent);
      await settled(client);
      return { client, close: () => client.disconnect() };
    },
  },
  {
    name: 'redis 5 sentinel',
    package: 'redis',
    server: 'sentinel',
    async open({ port, username, password }) {
      const client = createSentinel({
        name: 'main',
        sentinelRootNodes: [{ host: '127.0.0.1', port }],
        nodeClientOptions: { username, password },
      });
      client.on('error', silent);
      await client.connect();
      return { client, close: () => client.destroy() };
    },
  },
];
