import { clientUnsupported } from '../errors.js';
import { isGetter } from '../client.js';
import { recognise, type Recognised, shapesOf, showsNoUsage } from '../recognise.js';
import {
  type BrokerClient,
  type BrokerClients,
  isAmqp,
  isAmqpManager,
  isBull,
  isKafka,
  isNats,
  isPgBoss,
  isPlatformaticClient,
} from './client-shapes.js';

/** A broker's client that was recognised, or a function that gives one. */
export type RecognisedBroker = Recognised<BrokerClients> | (() => unknown);

const shapes = shapesOf<BrokerClients>({
  bullmq: [['bullmq Queue or Worker'], isBull, showsNoUsage],
  amqpManager: [['amqp-connection-manager'], isAmqpManager, showsNoUsage],
  amqp: [['amqplib connection or channel'], isAmqp, showsNoUsage],
  nats: [['nats connection'], isNats, showsNoUsage],
  kafka: [['kafkajs consumer or admin'], isKafka, showsNoUsage],
  platformaticKafka: [['@platformatic/kafka client'], isPlatformaticClient, showsNoUsage],
  pgBoss: [['pg-boss'], isPgBoss, showsNoUsage],
});

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
