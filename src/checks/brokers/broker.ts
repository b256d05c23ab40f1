import type { Fault } from '../../core/heartbeat/messages.js';
import type { Starter } from '../flight.js';
import { Unavailable } from '../key-values/store.js';
import type { Life } from '../listening.js';
import type { Sample } from '../progress/timeline.js';
import { brokerReason, type Reason } from '../reasons.js';

/** A broker's client, whichever it is. */
export interface Broker {
  /** Its name for operators. */
  readonly name: string;
  /** One round trip; rejects at once if the client has no connection and would only queue. */
  ping(starter: Starter): Promise<void>;
}

/** The client itself says that it has no connection: nothing was sent. */
export class Unconnected extends Error {
  readonly fault: 'missing' | 'unreachable' | 'blocked';

  constructor(fault: Unconnected['fault'], text: string) {
    super(text);
    this.fault = fault;
  }
}

export const closed = (): Unconnected =>
  new Unconnected('missing', 'the application has not opened the connection, or has closed it');

export const offline = (text = 'the client has no connection'): Unconnected =>
  new Unconnected('unreachable', text);

/** The kinds of broker faults, by what an operator does about them. */
export type BrokerFault = Fault | Unconnected['fault'];

/** The fault of whatever a client failed with, and a sentence without secrets. */
export function faultOf(thrown: unknown): Omit<Reason, 'fault'> & { readonly fault: BrokerFault } {
  if (thrown instanceof Unconnected) return { fault: thrown.fault, text: thrown.message };
  if (!(thrown instanceof Unavailable)) return brokerReason(thrown);
  return { fault: thrown.why === 'missing' ? 'missing' : 'unreachable', text: thrown.message };
}

/** The state of a consumer, as far as it exposes it. */
export interface Seen extends Partial<Sample> {
  /** Why it takes no work at all, in words that follow a colon. */
  readonly stopped?: string | undefined;
  /** That it has no connection and reconnects by itself: a fault of the broker, not of this instance. */
  readonly connected?: false | undefined;
  /** A possible reason for no progress. */
  readonly note?: string | undefined;
  /** Milliseconds since a job was taken away from it. */
  readonly lostFor?: number | undefined;
}

/** A consumer of a broker, whichever it is. */
export interface Consumer {
  /** The name of the work, if the client has one. */
  readonly name?: string | undefined;
  read(starter: Starter): Seen | Promise<Seen>;
}

/** The options beside a consumer. */
export interface ConsumerSettings {
  readonly queue?: unknown;
  readonly noAck?: boolean | undefined;
  readonly stalledAfter: number;
  readonly life: Life;
}

/** How often work was done, and attempts failed. */
export class Tally {
  #done = 0;
  #attempts = 0;

  readonly done = (): void => {
    this.#done += 1;
  };

  readonly failed = (): void => {
    this.#attempts += 1;
  };

  get counts(): Pick<Sample, 'mark' | 'attempts'> {
    return { mark: this.#done, attempts: this.#attempts };
  }
}
