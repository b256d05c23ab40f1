import { clientUnsupported } from '../errors.js';
import { isGetter } from '../client.js';
import { recognise, type Recognised, shape, type Shape } from '../recognise.js';
import {
  type BrokerClient,
  type BrokerClients,
  isAmqp,
  isAmqpManager,
  isBull,
  isKafka,
  isMqtt,
  isNats,
  isPgBoss,
  isPlatformaticClient,
  isRhea,
} from './client-shapes.js';

/** A broker's client that was recognised, or a function that gives one. */
export type RecognisedBroker = Recognised<BrokerClients> | (() => unknown);

const shapes: readonly Shape<Recognised<BrokerClients>>[] = [
  shape('bullmq', ['bullmq Queue or Worker'], isBull),
  shape('amqpManager', ['amqp-connection-manager'], isAmqpManager),
  shape('amqp', ['amqplib connection or channel'], isAmqp),
  shape('rhea', ['rhea connection'], isRhea),
  shape('nats', ['nats connection'], isNats),
  shape('mqtt', ['mqtt client'], isMqtt),
  shape('kafka', ['kafkajs consumer or admin'], isKafka),
  shape('platformaticKafka', ['@platformatic/kafka client'], isPlatformaticClient),
  shape('pgBoss', ['pg-boss'], isPgBoss),
];

export const brokerNames: readonly string[] = [
  ...shapes.flatMap(({ names }) => names),
  'a function that returns one of them',
];

export const recogniseClient = (value: unknown): Recognised<BrokerClients> | undefined =>
  recognise(shapes, value);

export const recogniseBroker = (value: unknown): RecognisedBroker | undefined =>
  recogniseClient(value) ?? (isGetter(value) ? value : undefined);

export function isBroker(value: unknown): value is BrokerClient {
  return recogniseBroker(value) !== undefined;
}

/** Rejects a value that is not a client, at once. */
export function requireBroker(client: unknown): RecognisedBroker {
  const recognised = recogniseBroker(client);
  if (recognised === undefined) throw clientUnsupported('broker', client, brokerNames);
  return recognised;
}
