import type { Fault } from '../../core/heartbeat/messages.js';
import type { Starter } from '../flight.js';
import type { Life } from '../listening.js';
import type { Sample } from '../progress/timeline.js';
import { brokerReason, type Reason, Unavailable } from '../reasons.js';

/** A broker's client, whichever it is. */
export interface Broker {
  /** Its name for operators. */
  readonly name: string;
  /** One round trip; rejects at once if the client has no connection and would only queue. */
  ping(starter: Starter): Promise<void>;
}

export const offline = (text = 'the client has no connection') => new Unavailable('unreachable', text);

/** The kinds of broker faults, by what an operator does about them. */
export type BrokerFault = Fault | Unavailable['fault'];

/** The fault behind a client's error of any kind, and a text without secrets. */
export const faultOf = (thrown: unknown): Omit<Reason, 'fault'> & { readonly fault: BrokerFault } =>
  thrown instanceof Unavailable ? { fault: thrown.fault, text: thrown.message } : brokerReason(thrown);

/** The state of a consumer, as far as it exposes it. */
export interface Seen extends Partial<Sample> {
  /** Why it accepts no work at all, as a text after a colon. */
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
