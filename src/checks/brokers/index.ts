import type { CheckContext } from '../../core/heartbeat/check.js';
import { type CheckMessage, Error as ErrorMessage, Warning } from '../../core/heartbeat/messages.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import type { Adapters } from '../recognise.js';
import { inFlight, type Starter } from '../flight.js';
import type { Life } from '../life.js';
import { capital } from '../reasons.js';
import { amqp, amqpManager } from './amqp.js';
import { type Broker, closed, Unconnected } from './broker.js';
import { bullmq } from './bullmq.js';
import type { BrokerClients } from './client-shapes.js';
import { kafka } from './kafka.js';
import { nats } from './nats.js';
import { pgBoss } from './pg-boss.js';
import { platformaticKafka } from './platformatic-kafka.js';
import { type BrokerFault, faultOf } from './fault.js';
import { recogniseClient, type RecognisedBroker } from './shapes.js';

const adapters: Adapters<BrokerClients, Broker, [life: Life]> = {
  amqp,
  amqpManager,
  nats,
  kafka,
  platformaticKafka,
  bullmq,
  pgBoss,
};

/** The code of `check_broker_connected`, loaded when the check is created. */
export function brokerConnected(
  recognised: RecognisedBroker,
  life: Life,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const client = brokers(recognised, life);
  const ping = inFlight(async (starter: Starter) => client.current().ping(starter));
  return async (context) => {
    try {
      await ping(context);
      return [];
    } catch (thrown) {
      return [failure(client.name(), thrown)];
    }
  };
}

/** The client there is now: functions give another one after each new connection. */
function brokers(recognised: RecognisedBroker, life: Life): { current(): Broker; name(): string } {
  let known: { readonly client: unknown; readonly broker: Broker } | undefined;
  const current = () => {
    const client = typeof recognised === 'function' ? recognised() : recognised;
    if (known !== undefined && known.client === client) return known.broker;
    const found = typeof recognised === 'function' ? recogniseClient(client) : recognised;
    if (found === undefined) throw client === undefined || client === null ? closed() : unsupported();
    known = { client, broker: found.adopt(adapters, life.next()) };
    return known.broker;
  };
  // From now on it is listened to, and not from the first heartbeat on.
  if (typeof recognised !== 'function') current();
  return { current, name: () => known?.broker.name ?? 'the broker' };
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
  exhausted: [messageIds.brokerError, (name) => `${capital(name)} error`],
  other: [messageIds.brokerError, (name) => `${capital(name)} error`],
  blocked: [
    messageIds.brokerBlocked,
    (name) => `${capital(name)} does not accept messages`,
    'The broker is short of memory or disk space: check its alarms. Messages can still be consumed.',
  ],
};

function failure(name: string, thrown: unknown): CheckMessage {
  const { fault, text } = faultOf(thrown);
  const [id, summary, hint] = findings[fault];
  const Kind = fault === 'blocked' ? Warning : ErrorMessage;
  return new Kind(`${summary(name)}: ${text}`, { id, ...(hint !== undefined && { hint }) });
}
