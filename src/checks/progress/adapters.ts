import { amqp } from './amqp.js';
import { bullmq } from './bullmq.js';
import { jetStream } from './jet-stream.js';
import { kafka } from './kafka.js';
import { pgBoss } from './pg-boss.js';
import { platformaticKafka } from './platformatic-kafka.js';
import type { ConsumerAdapters } from './shapes.js';

export const adapters: ConsumerAdapters = {
  bullmq,
  amqp,
  jetStream,
  kafka,
  platformaticKafka,
  pgBoss,
};
