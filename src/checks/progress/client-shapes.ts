import { hasMethods, isObject } from '../client.js';

/** A `Worker` of bullmq. */
export interface BullWorker {
  readonly name: string;
  isRunning(): boolean;
  isPaused(): boolean;
  waitUntilReady(): Promise<unknown>;
}

/** A `Queue` of bullmq. */
export interface BullQueue {
  readonly name: string;
  getJobCounts(...types: never): Promise<Record<string, number>>;
  isPaused(): Promise<boolean>;
}

/** A channel of amqplib, of promises or callbacks, or a `ChannelWrapper` of amqp-connection-manager. */
export interface AmqpChannel {
  ack(message: never, allUpTo?: boolean): void;
  nack(message: never, allUpTo?: boolean, requeue?: boolean): void;
  checkQueue(queue: string, ...more: never): unknown;
  consume(queue: string, onMessage: never, ...more: never): unknown;
}

/** A JetStream consumer of nats or @nats-io/jetstream: `await js.consumers.get('STREAM', 'consumer')`. */
export interface JetStreamConsumer {
  info(cached?: boolean): Promise<{ readonly num_pending: number; readonly num_ack_pending: number }>;
  consume(...options: never): unknown;
  fetch(...options: never): unknown;
}

/** A consumer of kafkajs. */
export interface KafkaConsumer {
  readonly events: { readonly GROUP_JOIN: string; readonly HEARTBEAT: string };
  paused(): readonly { readonly topic: string; readonly partitions: readonly number[] }[];
  describeGroup(): Promise<unknown>;
}

/** A `PgBoss` of pg-boss. */
export interface PgBossLike {
  work(name: string, ...more: never): Promise<string>;
  offWork(...given: never): Promise<unknown>;
  getDb(): unknown;
}

/** A stream of @platformatic/kafka: `await consumer.consume({ topics })`. */
export interface PlatformaticStream {
  readonly readableLength: number;
  readonly readableFlowing: boolean | null;
  readonly offsetsToFetch: ReadonlyMap<string, bigint>;
  readonly offsetsCommitted: ReadonlyMap<string, bigint>;
  isActive(): boolean;
  isConnected(): boolean;
}

export const isBullWorker = (value: unknown): value is BullWorker =>
  hasMethods(value, 'isRunning', 'isPaused', 'waitUntilReady', 'on') && 'name' in value;
export const isBullQueue = (value: unknown): value is BullQueue =>
  hasMethods(value, 'getJobCounts', 'isPaused', 'add') && 'name' in value;
export const isAmqpChannel = (value: unknown): value is AmqpChannel =>
  hasMethods(value, 'ack', 'nack', 'checkQueue', 'consume', 'on');
export const isJetStreamConsumer = (value: unknown): value is JetStreamConsumer =>
  hasMethods(value, 'info', 'consume', 'fetch', 'next');
export const isKafkaConsumer = (value: unknown): value is KafkaConsumer =>
  hasMethods(value, 'describeGroup', 'paused', 'on') && 'events' in value && isObject(value.events);
export const isPgBoss = (value: unknown): value is PgBossLike =>
  hasMethods(value, 'work', 'offWork', 'send', 'getDb', 'on');
export const isPlatformaticStream = (value: unknown): value is PlatformaticStream =>
  hasMethods(value, 'isActive', 'isConnected', 'read') &&
  'offsetsToFetch' in value &&
  'offsetsCommitted' in value &&
  value.offsetsToFetch instanceof Map;
