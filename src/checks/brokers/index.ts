import { type Check, withScope } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, Error as ErrorMessage, Warning } from '../../core/heartbeat/messages.js';
import { isGetter } from '../client.js';
import { clientUnsupported } from '../errors.js';
import { inFlight, type Starter } from '../flight.js';
import { clientCheck, type Life } from '../listening.js';
import { capital } from '../reasons.js';
import { namesOf, recognise } from '../recognise.js';
import { amqp, type AmqpChannel, type AmqpConnection, type AmqpManager } from './amqp.js';
import { type Broker, type BrokerFault, closed, faultOf, Unconnected } from './broker.js';
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

/** Makes the adapter of a client that was recognised, or a function that gives a client. */
type RecognisedBroker = { readonly make: MakeBroker } | { readonly current: () => unknown };

const kinds = [bullmq, ...amqp, nats, kafka, platformaticKafka, pgBoss];

export const brokerNames = [...namesOf(kinds), 'a function that returns one of them'];

export const recogniseClient = (value: unknown): MakeBroker | undefined =>
  recognise<MakeBroker>(kinds, value);

export function recogniseBroker(value: unknown): RecognisedBroker | undefined {
  const make = recogniseClient(value);
  if (make !== undefined) return { make };
  return isGetter(value) ? { current: value } : undefined;
}

export const isBroker = (value: unknown): value is BrokerClient => recogniseBroker(value) !== undefined;

/**
 * The check `check_broker_connected`: one round trip over the application's own connection to its message broker.
 *
 * @example health.check('events', checkBrokerConnected(connection));
 */
export function checkBrokerConnected(client: BrokerClient): Check {
  const recognised = recogniseBroker(client);
  if (recognised === undefined) throw clientUnsupported('broker', client, brokerNames);
  return brokerCheck(recognised);
}

/** The same of a client that was recognised. */
export function brokerCheck(recognised: RecognisedBroker): Check {
  const check = clientCheck('check_broker_connected', (life) => {
    const current = 'make' in recognised ? always(recognised.make(life)) : follow(recognised.current, life);
    let name = 'make' in recognised ? current().name : 'the broker';
    const ping = inFlight(async (starter: Starter) => {
      const broker = current();
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

const always = (broker: Broker) => () => broker;

/** The client there is now: functions give another one after each new connection. */
function follow(clientNow: () => unknown, life: Life): () => Broker {
  let known: { readonly client: unknown; readonly broker: Broker } | undefined;
  return () => {
    const client = clientNow();
    if (known !== undefined && known.client === client) return known.broker;
    const make = recogniseClient(client);
    if (make === undefined) throw client === undefined || client === null ? closed() : unsupported();
    known = { client, broker: make(life.next()) };
    return known.broker;
  };
}

const unsupported = () => new Unconnected('missing', 'the broker function did not return a supported client');

type Finding = readonly [id: string, summary: (name: string) => string, hint?: string];

const findings: Readonly<Record<BrokerFault, Finding>> = {
  unreachable: [
    messageIds.brokerUnreachable,
    (name) => `Cannot connect to ${name}`,
    'Check that the broker is up, and that the host and port in the settings are right.',
  ],
  full: [
    messageIds.brokerUnreachable,
    (name) => `Cannot connect to ${name}`,
    'Look for connections that are not needed, or allow more of them on the broker.',
  ],
  missing: [
    messageIds.brokerMissing,
    (name) => `Not connected to ${name}`,
    'Open the connection before the application starts work, and reconnect after a loss unless the client does.',
  ],
  misconfigured: [
    messageIds.brokerMisconfigured,
    (name) => `${capital(name)} is misconfigured`,
    'Compare the user, password and permissions with those on the broker.',
  ],
  broken: [
    messageIds.brokerFailed,
    (name) => `${capital(name)} does not respond correctly`,
    "The connection is open but does not respond correctly: see the broker's log.",
  ],
  exhausted: [messageIds.brokerFailed, (name) => `${capital(name)} error`],
  other: [messageIds.brokerFailed, (name) => `${capital(name)} error`],
  blocked: [
    messageIds.brokerBlocked,
    (name) => `${capital(name)} does not accept messages`,
    'The broker is short of memory or disk space: check its alarms. Messages can still be consumed.',
  ],
};

function failure(name: string, thrown: unknown): CheckMessage {
  const { fault, text, fields } = faultOf(thrown);
  const [id, summary, hint] = findings[fault];
  const Kind = fault === 'blocked' ? Warning : ErrorMessage;
  return new Kind(`${summary(name)}: ${text}`, {
    id,
    ...(hint !== undefined && { hint }),
    ...(fields && { fields }),
  });
}
