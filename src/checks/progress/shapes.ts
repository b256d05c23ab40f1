import { recognise, type Shape } from '../recognise.js';
import {
  type AmqpChannel,
  type BullWorker,
  type JetStreamConsumer,
  type KafkaConsumer,
  type MqttClient,
  type PgBossLike,
  isAmqpChannel,
  isBullWorker,
  isJetStreamConsumer,
  isKafkaConsumer,
  isMqtt,
  isPgBoss,
} from './client-shapes.js';
import {
  type GraphileRunner,
  type PlatformaticStream,
  type SqsConsumer,
  type TemporalWorker,
  isGraphileRunner,
  isPlatformaticStream,
  isSqsConsumer,
  isTemporalWorker,
} from './worker-shapes.js';
import type { Consumer, ConsumerSettings } from './consumer.js';

/** All consumers, by their kind. */
export interface ConsumerClients {
  readonly bullmq: BullWorker;
  readonly amqp: AmqpChannel;
  readonly jetStream: JetStreamConsumer;
  readonly mqtt: MqttClient;
  readonly kafka: KafkaConsumer;
  readonly platformaticKafka: PlatformaticStream;
  readonly pgBoss: PgBossLike;
  readonly graphileWorker: GraphileRunner;
  readonly sqsConsumer: SqsConsumer;
  readonly temporal: TemporalWorker;
}

/** Creates the adapter of each kind once its code is loaded. */
export type ConsumerAdapters = {
  readonly [Kind in keyof ConsumerClients]: (
    client: ConsumerClients[Kind],
    settings: ConsumerSettings,
  ) => Consumer;
};

/** The type of `queue` for each kind of consumer. */
type QueueKind = 'name' | 'bullmq' | 'none';

/** A consumer that was recognised. */
export interface RecognisedConsumer {
  readonly queue: QueueKind;
  /** Whether it reports the work of this instance only, or of all that share a queue. */
  readonly scope: 'instance' | 'shared';
  adopt(adapters: ConsumerAdapters, settings: ConsumerSettings): Consumer;
}

function kind<Kind extends keyof ConsumerClients>(
  name: Kind,
  names: readonly string[],
  is: (value: unknown) => value is ConsumerClients[Kind],
  queue: QueueKind,
  scope: RecognisedConsumer['scope'] = 'instance',
): Shape<RecognisedConsumer> {
  return {
    names,
    recognise: (value) =>
      is(value)
        ? { queue, scope, adopt: (adapters, settings) => adapters[name](value, settings) }
        : undefined,
  };
}

const shapes: readonly Shape<RecognisedConsumer>[] = [
  kind('bullmq', ['bullmq Worker'], isBullWorker, 'bullmq'),
  kind('amqp', ['amqplib channel', 'amqp-connection-manager ChannelWrapper'], isAmqpChannel, 'name'),
  kind('jetStream', ['nats JetStream consumer'], isJetStreamConsumer, 'none', 'shared'),
  kind('mqtt', ['mqtt client'], isMqtt, 'none'),
  kind('kafka', ['kafkajs consumer'], isKafkaConsumer, 'none'),
  kind('platformaticKafka', ['@platformatic/kafka stream'], isPlatformaticStream, 'none'),
  kind('pgBoss', ['pg-boss'], isPgBoss, 'name'),
  kind('graphileWorker', ['graphile-worker Runner'], isGraphileRunner, 'none'),
  kind('sqsConsumer', ['sqs-consumer Consumer'], isSqsConsumer, 'none'),
  kind('temporal', ['@temporalio/worker Worker'], isTemporalWorker, 'none'),
];

export const consumerNames: readonly string[] = shapes.flatMap(({ names }) => names);

export const recogniseConsumer = (value: unknown): RecognisedConsumer | undefined => recognise(shapes, value);
