import { span } from '../../core/time.js';
import { hasMethods, property, shape } from '../client.js';
import { listen } from '../listening.js';
import { brokerReason, notOpen } from '../reasons.js';
import { kind } from '../recognise.js';
import { orAborted } from '../round-trip.js';
import type { Broker, Consumer, ConsumerSettings, Seen } from './broker.js';

/** An `Admin`, `Consumer` or `Producer` of @platformatic/kafka. */
export interface PlatformaticClient {
  listApis(): Promise<unknown>;
  connectToBrokers(nodeIds?: number[] | null): Promise<unknown>;
  isConnected(): boolean;
}

/** A stream of @platformatic/kafka: `await consumer.consume({ topics })`. */
export interface PlatformaticStream {
  readonly readableLength: number;
  readonly readableFlowing: boolean | null;
  readonly offsetsToFetch: ReadonlyMap<string, bigint>;
  readonly offsetsCommitted: ReadonlyMap<string, bigint>;
  isActive(): boolean;
  isConnected(): boolean;
}

const isPlatformaticStream = (value: unknown): value is PlatformaticStream =>
  hasMethods(value, 'isActive', 'isConnected', 'read') &&
  'offsetsToFetch' in value &&
  'offsetsCommitted' in value &&
  value.offsetsToFetch instanceof Map;

/** A client of @platformatic/kafka requests the versions of the API, which needs no permissions. */
const clientBroker = (client: PlatformaticClient): Broker => ({
  name: 'Kafka',
  async ping(signal) {
    if (property(client, 'closed') === true) throw notOpen('connection');
    await orAborted(client.listApis(), signal);
  },
});

/** A stream of @platformatic/kafka shows how many messages it has fetched, which of them were read, and which were committed. */
function streamConsumer(stream: PlatformaticStream, { life, stalledAfter }: ConsumerSettings): Consumer {
  /** When its heartbeats to the group began to fail. */
  let unheardSince: number | undefined;
  const consumer = property(stream, 'consumer');
  listen(life, consumer, 'consumer:heartbeat:error', () => (unheardSince ??= performance.now()));
  for (const event of ['consumer:heartbeat:end', 'consumer:group:join'])
    listen(life, consumer, event, () => (unheardSince = undefined));
  return {
    read(): Seen {
      const silence = unheardSince === undefined ? 0 : performance.now() - unheardSince;
      return {
        mark: markOf(stream),
        pending: Math.max(stream.readableLength, uncommitted(stream)),
        ...(interruption(stream) ?? (silence > stalledAfter ? unheard(silence) : {})),
      };
    },
  };
}

const unheard = (silence: number): Seen => ({
  stopped: `its heartbeats to the group have failed for ${span(silence)}`,
  connected: false,
});

/** Changes with each message that is read or committed. With autocommit, messages are committed before they are read. */
function markOf({
  offsetsToFetch,
  offsetsCommitted,
  readableFlowing,
  readableLength,
}: PlatformaticStream): string {
  const committed = sum([...offsetsCommitted.values()]);
  // A listener for `data` gets each message at once: only a commit shows that it is done.
  if (readableFlowing === true) return String(committed);
  const fetched = sum(
    [...offsetsCommitted].map(([partition, offset]) => offsetsToFetch.get(partition) ?? offset),
  );
  const read = fetched - BigInt(readableLength);
  return `${read} ${committed < read ? committed : read}`;
}

const sum = (offsets: readonly bigint[]) => offsets.reduce((total, each) => total + each, 0n);

function uncommitted({ offsetsToFetch, offsetsCommitted }: PlatformaticStream): number {
  const ahead = [...offsetsCommitted].map(
    ([partition, offset]) => (offsetsToFetch.get(partition) ?? offset) - offset,
  );
  return Number(sum(ahead.filter((each) => each > 0n)));
}

function interruption(stream: PlatformaticStream): Seen | undefined {
  const error = property(stream, 'errored');
  if (error instanceof Error) return { stopped: `its stream was destroyed: ${brokerReason(error).text}` };
  if (property(stream, 'destroyed') === true || !stream.isActive())
    return { stopped: 'its stream is closed' };
  return stream.isConnected() ? undefined : { stopped: 'the client has no connection', connected: false };
}

export const platformaticKafka = kind(
  ['@platformatic/kafka client'],
  shape<PlatformaticClient>('listApis', 'connectToBrokers', 'isConnected', 'on'),
  clientBroker,
);
export const platformaticStream = kind(['@platformatic/kafka stream'], isPlatformaticStream, streamConsumer);
