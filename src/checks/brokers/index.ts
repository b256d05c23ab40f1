import { type Check, withScope } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, Error as ErrorMessage, Warning } from '../../core/heartbeat/messages.js';
import { isGetter } from '../client.js';
import { inFlight, type Starter } from '../flight.js';
import { clientCheck, follow, type Life } from '../listening.js';
import { capital, type Finding, messageFor, notOpen, Unavailable } from '../reasons.js';
import { clientUnsupported, Family } from '../recognise.js';
import { amqp, type AmqpChannel, type AmqpConnection, type AmqpManager } from './amqp.js';
import { type Broker, type BrokerFault, faultOf } from './broker.js';
import { bullmq, type BullQueue, type BullWorker } from './bullmq.js';
import { kafka, type KafkaAdmin, type KafkaConsumer } from './kafka.js';
import { nats, type NatsConnection } from './nats.js';
import { pgBoss, type PgBossLike } from './pg-boss.js';
import { type PlatformaticClient, platformaticKafka } from './platformatic-kafka.js';

type OneClient =
  | AmqpConnection
  | AmqpChannel
  | AmqpManager
  | NatsConnection
  | KafkaAdmin
  | KafkaConsumer
  | PlatformaticClient
  | BullQueue
  | BullWorker
  | PgBossLike;

/** The values of the option `broker`: a client of any of these libraries, or a function that returns the current one. */
export type BrokerClient = OneClient | (() => OneClient | undefined | null);

type MakeBroker = (life: Life) => Broker;

const kinds = [bullmq, ...amqp, nats, kafka, platformaticKafka, pgBoss];

/** Clients as they are. */
export const brokers = new Family<OneClient, MakeBroker>('broker', kinds);

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

/** The same of a value that may be none, given for an option. */
export function brokerCheck(client: unknown, option = 'broker'): Check {
  if (!isBroker(client)) throw clientUnsupported(option, client, brokerNames);
  const check = clientCheck('check_broker_connected', (life) => {
    const current = follow(client, adapt, life);
    let name = 'the broker';
    const ping = inFlight(async (starter: Starter) => {
      const broker = current();
      if (broker === undefined) throw notOpen('connection');
      ({ name } = broker);
      return broker.ping(starter);
    });
    return async (context) => {
      try {
        await ping(context);
        return [];
      } catch (thrown) {
        return [failure(name, thrown)];
      }
    };
  });
  return withScope(check, 'shared');
}

function adapt(client: unknown, life: Life): Broker {
  const make = brokers.recognise(client);
  if (make !== undefined) return make(life);
  throw new Unavailable('missing', 'the broker function did not return a supported client');
}

/** The text for each fault: an id, how the text begins, and what to do. */
function findingsOf(name: string): Readonly<Record<BrokerFault, Finding>> {
  const start = `Cannot connect to ${name}`;
  const own = capital(name);
  const hint = 'Check that the broker is up, and that the host and port in the settings are right.';
  const other: Finding = [messageIds.brokerFailed, `${own} error`];
  return {
    unreachable: [messageIds.brokerUnreachable, start, hint],
    down: [messageIds.brokerUnreachable, start, hint],
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
    exhausted: other,
    other,
  };
}

function failure(name: string, thrown: unknown): CheckMessage {
  const { fault, ...reason } = faultOf(thrown);
  const Kind = fault === 'blocked' ? Warning : ErrorMessage;
  return messageFor(findingsOf(name)[fault], reason, undefined, Kind);
}
