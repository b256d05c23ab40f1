import { hasMethods, isObject } from '../client.js';

/** Emits an event when a connection is lost. */
export interface Emitter {
  listenerCount(event: string): number;
  on(event: string, listener: (error: unknown) => void): unknown;
  once(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
}

/** `Redis` or `Cluster` of ioredis or iovalkey. */
export interface IoredisClient extends Emitter {
  readonly status: string;
  ping(): Promise<string>;
}

/** A connection of @adonisjs/redis: its ioredis is inside. */
interface AdonisConnection {
  readonly ioConnection: IoredisClient;
}

/** The `redis` service of AdonisJS, for its default connection, or one of its connections. */
export type AdonisRedis = AdonisConnection | { connection(): AdonisConnection; quitAll(): Promise<void> };

/** `createClient`, `createClientPool`, `createCluster` or `createSentinel` of redis (node-redis) 4, 5 or 6. */
export interface NodeRedisClient extends Emitter {
  readonly isOpen: boolean;
  readonly sendCommand: unknown;
}

/** A client that speaks to one server. */
export interface SingleClient extends NodeRedisClient {
  readonly isReady: boolean;
  ping(): Promise<unknown>;
}

/** A cluster client: it has a client for each server. */
export interface ClusterClient extends NodeRedisClient {
  getRandomNode(): unknown;
  nodeClient(node: unknown): unknown;
}

/** `GlideClient` or `GlideClusterClient` of @valkey/valkey-glide. */
export interface GlideClient {
  ping(): Promise<unknown>;
  customCommand(command: string[]): Promise<unknown>;
  close(): void;
}

/** All clients, by their kind. */
export interface StoreClients {
  readonly ioredis: IoredisClient;
  readonly adonisRedis: AdonisRedis;
  readonly nodeRedis: NodeRedisClient;
  readonly glide: GlideClient;
}

/** The values of the option `redis`: a client of any of these libraries, cluster and sentinel clients included. */
export type RedisClient = StoreClients[keyof StoreClients];

export const isIoredis = (value: unknown): value is IoredisClient =>
  hasMethods(value, 'ping', 'once', 'removeListener', 'disconnect') &&
  'status' in value &&
  typeof value.status === 'string';
export const isAdonisRedis = (value: unknown): value is AdonisRedis =>
  (isObject(value) && 'ioConnection' in value) || hasMethods(value, 'connection', 'quitAll');
export const isCluster = (value: unknown): value is ClusterClient =>
  hasMethods(value, 'getRandomNode', 'nodeClient');
export const isSingle = (value: unknown): value is SingleClient => hasMethods(value, 'ping');
export const isNodeRedis = (value: unknown): value is NodeRedisClient =>
  hasMethods(value, 'once', 'removeListener', 'sendCommand') &&
  'isOpen' in value &&
  (isCluster(value) || isSingle(value));
export const isGlide = (value: unknown): value is GlideClient =>
  hasMethods(value, 'ping', 'customCommand', 'close');
