import type {
  AmqpChannel,
  BullQueue,
  BullWorker,
  JetStreamConsumer,
  KafkaConsumer,
  PgBossLike,
  PlatformaticStream,
} from './client-shapes.js';
import type { Duration } from '../../core/options/duration.js';

type Answer<T> = T | PromiseLike<T>;

/** How much work waits or is under way. */
type Pending = () => Answer<number | bigint>;
/** When work was last done or reported progress, or any number that changes with it, such as how much was done. */
type Processed = () => Answer<Date | number | bigint | undefined | null>;
type Paused = () => Answer<boolean>;

interface Common {
  /** The name of the work in messages. Default: the name of the queue, if the client has one. */
  readonly name?: string | undefined;
  /** How long there may be no progress, while there is work, before the check fails. */
  readonly stalledAfter: Duration;
}

/** Progress that your functions report. */
interface WorkOptions extends Common {
  readonly consumer?: undefined;
  readonly queue?: undefined;
  readonly noAck?: undefined;
  /** How much work waits or is under way: 0 is idle. */
  readonly pending: Pending;
  /** When work was last done or reported progress; a Date, or any number that changes with it. `undefined`: not yet. */
  readonly processed: Processed;
  /** Whether work is paused on purpose. */
  readonly paused?: Paused | undefined;
}

/** Values that a consumer reports by itself and that you may override. */
interface ConsumerCommon extends Common {
  /** Overrides the client's own report. */
  readonly pending?: Pending | undefined;
  readonly processed?: Processed | undefined;
  readonly paused?: Paused | undefined;
}

/** Progress of a worker of BullMQ. */
interface BullOptions extends ConsumerCommon {
  readonly consumer: BullWorker | (() => BullWorker | undefined | null);
  /** The queue it works on: it knows how much waits. */
  readonly queue: BullQueue;
  readonly noAck?: undefined;
}

/** Progress of a channel of RabbitMQ, or of pg-boss. */
interface NamedQueueOptions extends ConsumerCommon {
  readonly consumer: AmqpChannel | PgBossLike | (() => AmqpChannel | PgBossLike | undefined | null);
  /** The name of its queue. */
  readonly queue: string;
  /** Of a channel: whether its consumers have the option `noAck`, so that a delivery is the end of a message. */
  readonly noAck?: boolean | undefined;
}

type QueuelessConsumer = JetStreamConsumer | KafkaConsumer | PlatformaticStream;

/** Progress of a consumer that needs no name of a queue. */
interface StreamOptions extends ConsumerCommon {
  readonly consumer: QueuelessConsumer | (() => QueuelessConsumer | undefined | null);
  readonly queue?: undefined;
  readonly noAck?: undefined;
}

/** Options of `checks.progress`: two functions, or a consumer of a supported client. */
export type ProgressOptions = WorkOptions | BullOptions | NamedQueueOptions | StreamOptions;
