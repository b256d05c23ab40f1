import { type Check, withScope } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { isGetter } from '../client.js';
import { clientCheck, follow, type Life } from '../listening.js';
import {
  brokerReason,
  capital,
  Failure,
  type Finding,
  type Findings,
  messageOfFailure,
  notOpen,
  reportingBy,
} from '../reasons.js';
import { clientUnsupported, Family } from '../recognise.js';
import { oneAtATime } from '../round-trip.js';
import { amqp, type AmqpClient } from './amqp.js';
import type { Broker } from './broker.js';
import { bullmq, type BullQueue, type BullWorker } from './bullmq.js';
import { kafka, type KafkaAdmin, type KafkaConsumer } from './kafka.js';
import { nats, type NatsConnection } from './nats.js';
import { pgBoss, type PgBossLike } from './pg-boss.js';
import { type PlatformaticClient, platformaticKafka } from './platformatic-kafka.js';

type OneClient =
  | AmqpClient
  | NatsConnection
  | KafkaAdmin
  | KafkaConsumer
  | PlatformaticClient
  | BullQueue
  | BullWorker
  | PgBossLike;

/** The values of the option `broker`: a client of any of these libraries, or a function that returns the current one. */
export type BrokerClient = OneClient | (() => OneClient | undefined | null);

export const brokers = new Family<OneClient, (life: Life) => Broker>('broker', [
  bullmq,
  ...amqp,
  nats,
  kafka,
  platformaticKafka,
  pgBoss,
]);

export const brokerNames = [...brokers.names, 'a function that returns one of them'];

export const isBroker = (value: unknown): value is BrokerClient => brokers.is(value) || isGetter(value);

/**
 * The check `check_broker_connected`: one round trip over the application's own connection to its message broker.
 *
 * @example health.check('events', checkBrokerConnected(connection));
 */
export function checkBrokerConnected(client: BrokerClient): Check {
  return brokerCheck(client);
}

/** The same for any value of an option. */
export function brokerCheck(client: unknown, option = 'broker'): Check {
  if (!isBroker(client)) throw clientUnsupported(option, client, brokerNames);
  const check = clientCheck('check_broker_connected', (life) => {
    const current = follow(client, adapt, life);
    let name = 'the broker';
    const ping = oneAtATime(async (signal) => {
      const broker = current();
      if (broker === undefined) throw notOpen('connection');
      ({ name } = broker);
      return broker.ping(signal);
    });
    return reportingBy((thrown) => messageOfFailure(findingsOf(name), brokerReason(thrown)), ping);
  });
  return withScope(check, 'shared');
}

function adapt(client: unknown, life: Life): Broker {
  const make = brokers.recognise(client);
  if (make !== undefined) return make(life);
  throw new Failure('the broker function did not return a supported client', 'missing');
}

function findingsOf(name: string): Findings {
  const start = `Cannot connect to ${name}`;
  const own = capital(name);
  const hint = 'Check that the broker is up, and that the host and port in the settings are right.';
  const unreachable: Finding = [messageIds.brokerUnreachable, start, hint];
  return {
    unreachable,
    down: unreachable,
    full: [
      messageIds.brokerUnreachable,
      start,
      'Look for connections that are not needed, or allow more of them on the broker.',
    ],
    missing: [
      messageIds.brokerMissing,
      `Not connected to ${name}`,
      'Open the connection before the application starts work, and reconnect after a loss unless the client does.',
    ],
    misconfigured: [
      messageIds.brokerMisconfigured,
      `${own} is misconfigured`,
      'Compare the user, password and permissions with those on the broker.',
    ],
    broken: [
      messageIds.brokerFailed,
      `${own} does not respond correctly`,
      "The connection is open but does not respond correctly: see the broker's log.",
    ],
    blocked: [
      messageIds.brokerBlocked,
      `${own} does not accept messages`,
      'The broker is short of memory or disk space: check its alarms. Messages can still be consumed.',
    ],
    other: [messageIds.brokerFailed, `${own} error`],
  };
}
