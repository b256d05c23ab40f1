import { amqp } from './amqp.js';
import { bullmq } from './bullmq.js';
import { graphileWorker } from './graphile-worker.js';
import { jetStream } from './jet-stream.js';
import { kafka } from './kafka.js';
import { mqtt } from './mqtt.js';
import { pgBoss } from './pg-boss.js';
import { platformaticKafka } from './platformatic-kafka.js';
import { sqsConsumer } from './sqs-consumer.js';
import { temporal } from './temporal.js';
import type { ConsumerAdapters } from './shapes.js';

export const adapters: ConsumerAdapters = {
  bullmq,
  amqp,
  jetStream,
  mqtt,
  kafka,
  platformaticKafka,
  pgBoss,
  graphileWorker,
  sqsConsumer,
  temporal,
};
