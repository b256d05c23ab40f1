import { deadlineOf } from '../../core/heartbeat/abort.js';
import { within } from '../../core/deadlines.js';
import { property } from '../client.js';
import type { Starter } from '../flight.js';
import type { Life } from '../life.js';
import { listen } from '../listening.js';
import { type Broker, closed, offline } from './broker.js';
import { type BrokerClients, isKafkaAdmin } from './client-shapes.js';

/** The share of a check's time after which a known outage is the answer: kafkajs retries for long. */
const share = 0.8;

/** An admin client describes the cluster. A consumer is judged by its events: every request it could send needs a permission. */
export function kafka(client: BrokerClients['kafka'], life: Life): Broker {
  const events = property(client, 'events');
  let connected: boolean | undefined;
  let crash: unknown;
  let silentSince: number | undefined;
  const on = (name: string, heard: (payload: unknown) => void) => {
    const event = property(events, name);
    if (typeof event === 'string') listen(life, client, event, (given) => heard(property(given, 'payload')));
  };
  const answered = () => {
    crash = undefined;
    silentSince = undefined;
  };
  on('CONNECT', () => {
    connected = true;
    answered();
  });
  on('DISCONNECT', () => {
    connected = false;
  });
  on('CRASH', (payload) => {
    crash = property(payload, 'error');
  });
  on('REQUEST', answered);
  on('REQUEST_TIMEOUT', () => {
    silentSince ??= performance.now();
  });
  return {
    name: 'Kafka',
    async ping(starter) {
      if (connected === false && crash === undefined) throw closed();
      if (isKafkaAdmin(client)) return describe(client.describeCluster(), starter, () => crash);
      if (crash !== undefined) throw crash;
      if (silentSince !== undefined) throw offline('requests were not answered in time');
    },
  };
}

async function describe(answer: Promise<unknown>, { signal }: Starter, crash: () => unknown): Promise<void> {
  const late = Symbol('late');
  const time = deadlineOf(signal) - performance.now();
  const found = time === Infinity ? await answer : await within<unknown>(answer, time * share, late);
  if (found !== late) return;
  answer.catch(() => {});
  throw crash() ?? offline('the cluster did not answer in time');
}
