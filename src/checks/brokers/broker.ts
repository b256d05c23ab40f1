import type { Life } from '../listening.js';
import type { Sample } from '../progress/timeline.js';
import { Failure } from '../reasons.js';

/** A client of any broker. */
export interface Broker {
  readonly name: string;
  /** One round trip; rejects at once if the client has no connection and would only queue. */
  ping(signal: AbortSignal): Promise<void>;
}

export const offline = (text = 'the client has no connection') => new Failure(text, 'unreachable');

/** The state of a consumer, as far as it shows it. */
export interface Seen extends Partial<Sample> {
  /** Why it accepts no work at all, as a text after a colon. */
  readonly stopped?: string | undefined;
  /** `false` if it has no connection and reconnects by itself: a fault of the broker, not of this instance. */
  readonly connected?: false | undefined;
  readonly note?: string | undefined;
  /** Milliseconds since a job was taken away from it. */
  readonly lostFor?: number | undefined;
}

export interface Consumer {
  /** The name of the work, if the client has one. */
  readonly name?: string | undefined;
  read(signal: AbortSignal): Seen | Promise<Seen>;
}

export interface ConsumerSettings {
  readonly queue?: unknown;
  readonly noAck?: boolean | undefined;
  readonly stalledAfter: number;
  readonly life: Life;
}
