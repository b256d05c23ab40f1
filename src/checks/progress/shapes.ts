import { type Adapters, recognise, type Recognised, shapesOf } from '../recognise.js';
import {
  type AmqpChannel,
  type BullWorker,
  type JetStreamConsumer,
  type KafkaConsumer,
  type PgBossLike,
  type PlatformaticStream,
  isAmqpChannel,
  isBullWorker,
  isJetStreamConsumer,
  isKafkaConsumer,
  isPgBoss,
  isPlatformaticStream,
} from './client-shapes.js';
import type { Consumer, ConsumerSettings } from './consumer.js';

/** All consumers, by their kind. */
export interface ConsumerClients {
  readonly bullmq: BullWorker;
  readonly amqp: AmqpChannel;
  readonly jetStream: JetStreamConsumer;
  readonly kafka: KafkaConsumer;
  readonly platformaticKafka: PlatformaticStream;
  readonly pgBoss: PgBossLike;
}

/** The type of `queue` for each kind of consumer. */
type QueueKind = 'name' | 'bullmq' | 'none';

interface ConsumerFacts {
  readonly queue: QueueKind;
  /** Whether it reports the work of this instance only, or of all that share a queue. */
  readonly scope: 'instance' | 'shared';
}

/** A consumer that was recognised. */
export type RecognisedConsumer = Recognised<ConsumerClients, ConsumerFacts>;

/** Creates the adapter of each kind once its code is loaded. */
export type ConsumerAdapters = Adapters<ConsumerClients, Consumer, [settings: ConsumerSettings]>;

const facts = (queue: QueueKind, scope: ConsumerFacts['scope'] = 'instance') => {
  return (): ConsumerFacts => ({ queue, scope });
};

const shapes = shapesOf<ConsumerClients, ConsumerFacts>({
  bullmq: [['bullmq Worker'], isBullWorker, facts('bullmq')],
  amqp: [['amqplib channel', 'amqp-connection-manager ChannelWrapper'], isAmqpChannel, facts('name')],
  jetStream: [['nats JetStream consumer'], isJetStreamConsumer, facts('none', 'shared')],
  kafka: [['kafkajs consumer'], isKafkaConsumer, facts('none')],
  platformaticKafka: [['@platformatic/kafka stream'], isPlatformaticStream, facts('none')],
  pgBoss: [['pg-boss'], isPgBoss, facts('name')],
});

export const consumerNames: readonly string[] = shapes.flatMap(({ names }) => names);

export const recogniseConsumer = (value: unknown): RecognisedConsumer | undefined => recognise(shapes, value);
