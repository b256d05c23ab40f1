import { hasMethods } from '../client.js';
import {
  type AmqpChannel,
  type BullQueue,
  type BullWorker,
  isAmqpChannel,
  isBullQueue,
  isBullWorker,
  isKafkaConsumer,
  isPgBoss,
  type KafkaConsumer,
  type PgBossLike,
} from '../progress/client-shapes.js';

/** A connection of amqplib, of promises or callbacks, with or without `recovery`. */
interface AmqpConnection {
  createChannel(...given: never): unknown;
  createConfirmChannel(...given: never): unknown;
  updateSecret(...given: never): unknown;
}

/** A connection of amqp-connection-manager. */
export interface AmqpManager {
  isConnected(): boolean;
  createChannel(...given: never): unknown;
  readonly connection: unknown;
}

/** A connection of nats or @nats-io/transport-node. */
export interface NatsConnection {
  flush(): Promise<void>;
  rtt(): Promise<number>;
  isClosed(): boolean;
}

/** An admin client of kafkajs. */
export interface KafkaAdmin {
  describeCluster(): Promise<unknown>;
  listTopics(): Promise<string[]>;
}

/** An `Admin`, `Consumer` or `Producer` of @platformatic/kafka. */
export interface PlatformaticClient {
  listApis(): Promise<unknown>;
  connectToBrokers(nodeIds?: number[] | null): Promise<unknown>;
  isConnected(): boolean;
}

/** All clients, by their kind. */
export interface BrokerClients {
  readonly amqp: AmqpConnection | AmqpChannel;
  readonly amqpManager: AmqpManager;
  readonly nats: NatsConnection;
  readonly kafka: KafkaAdmin | KafkaConsumer;
  readonly platformaticKafka: PlatformaticClient;
  readonly bullmq: BullQueue | BullWorker;
  readonly pgBoss: PgBossLike;
}

type OneClient = BrokerClients[keyof BrokerClients];

/** The values of the option `broker`: a client of any of these libraries, or a function that returns the current one. */
export type BrokerClient = OneClient | (() => OneClient | undefined | null);

export const isAmqpManager = (value: unknown): value is AmqpManager =>
  hasMethods(value, 'isConnected', 'createChannel', 'on') && 'connection' in value;
const isChannelWrapper = (value: unknown) => hasMethods(value, 'addSetup');
export const isAmqp = (value: unknown): value is BrokerClients['amqp'] =>
  (hasMethods(value, 'createChannel', 'createConfirmChannel', 'on') || isAmqpChannel(value)) &&
  !isChannelWrapper(value);
export const isNats = (value: unknown): value is NatsConnection =>
  hasMethods(value, 'flush', 'rtt', 'isClosed', 'drain');
export const isKafka = (value: unknown): value is BrokerClients['kafka'] =>
  isKafkaAdmin(value) || isKafkaConsumer(value);
export const isKafkaAdmin = (value: unknown): value is KafkaAdmin =>
  hasMethods(value, 'describeCluster', 'listTopics');
export const isPlatformaticClient = (value: unknown): value is PlatformaticClient =>
  hasMethods(value, 'listApis', 'connectToBrokers', 'isConnected', 'on');
export const isBull = (value: unknown): value is BrokerClients['bullmq'] =>
  isBullQueue(value) || isBullWorker(value);
export { isPgBoss };
