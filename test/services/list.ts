import { alertmanager } from './alertmanager.js';
import { haproxy } from './haproxy.js';
import { kafka } from './kafka.js';
import { mariadb } from './mariadb.js';
import { nats } from './nats.js';
import { pgbouncer } from './pgbouncer.js';
import { postgres } from './postgres.js';
import { prometheus } from './prometheus.js';
import { rabbitmq } from './rabbitmq.js';
import { redis } from './redis.js';
import type { ServiceDefinition } from './service.js';

/** Every service the suite knows: a new one is a file like its siblings and a line here. */
export const services = {
  postgres,
  pgbouncer,
  mariadb,
  redis,
  haproxy,
  prometheus,
  alertmanager,
  rabbitmq,
  nats,
  kafka,
} satisfies Record<string, ServiceDefinition>;

export type ServiceName = keyof typeof services;
