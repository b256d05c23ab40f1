import type { Fault } from '../../core/heartbeat/messages.js';
import { property, textOf } from '../client.js';
import type { Starter } from '../flight.js';
import { Unavailable } from '../key-values/store.js';
import type { Life } from '../listening.js';
import type { Look } from '../progress/timeline.js';
import { type Reason, reasonOf } from '../reasons.js';

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

/** The state of a consumer, as far as it exposes it. */
export interface Seen extends Partial<Look> {
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
  look(starter: Starter): Seen | Promise<Seen>;
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

  get seen(): Pick<Look, 'mark' | 'attempts'> {
    return { mark: this.#done, attempts: this.#attempts };
  }
}

/** The kinds of broker faults, by what an operator does about them. */
export type BrokerFault = Fault | Unconnected['fault'];

/** The fault of whatever a client failed with, and a sentence without secrets. */
export function faultOf(thrown: unknown): Omit<Reason, 'fault'> & { readonly fault: BrokerFault } {
  if (thrown instanceof Unconnected) return { fault: thrown.fault, text: thrown.message };
  if (thrown instanceof Unavailable) {
    return { fault: thrown.why === 'missing' ? 'missing' : 'unreachable', text: thrown.message };
  }
  return brokerReason(thrown);
}

// Our own sentences, as for databases: brokers name users, queues and hosts in theirs.
const phrases: readonly (readonly [Fault, string, RegExp])[] = [
  [
    'misconfigured',
    'the server rejected the user or password',
    /ACCESS.REFUSED|authorization.violation|authentication (failed|timeout|expired)|not authori[sz]ed|SASL|KafkaJSSASL|PLT_KFK_AUTHENTICATION/i,
  ],
  ['misconfigured', 'the virtual host does not exist', /vhost .{0,200} not found|NOT.ALLOWED/i],
  [
    'misconfigured',
    'the user lacks permission',
    /permissions? violation|AccessDenied|TOPIC_AUTHORIZATION_FAILED|GROUP_AUTHORIZATION_FAILED/i,
  ],
  [
    'misconfigured',
    'client and server share no protocol version',
    /unacceptable protocol version|UNSUPPORTED_VERSION/i,
  ],
  ['broken', 'the server stopped sending heartbeats', /heartbeat timeout|stale.connection/i],
  [
    'broken',
    'requests are not answered in time',
    /request (.{0,200} )?timed out|KafkaJSRequestTimeout|REQUEST_TIMED_OUT/i,
  ],
  ['broken', 'the server shut down', /server.shutting.down|CONNECTION.FORCED/i],
  ['unreachable', 'the server is not available', /server unavailable|no servers|CONNECTION_REFUSED/i],
  [
    'broken',
    'the server closed the connection',
    /unexpected close|connection (closed|error)|socket (closed|disconnected)|disconnected prematurely|channel ended/i,
  ],
];

/** Why a client of a broker failed, for a report that is public. */
export function brokerReason(thrown: unknown): Reason {
  const chain = brokerCausesOf(thrown);
  for (const error of chain) {
    // The code of the system is clearer than the client's wording.
    if (/^E[A-Z]{3,}$/.test(String(property(error, 'code')))) return reasonOf(error);
  }
  for (const error of chain) {
    const texts = ['message', 'code', 'name', 'type', 'condition'].map(
      (name) => textOf(property(error, name)) ?? '',
    );
    const found = phrases.find(([, , phrase]) => texts.some((each) => phrase.test(each.slice(0, 2000))));
    if (found !== undefined) return { fault: found[0], text: found[1] };
  }
  return reasonOf(thrown);
}

/** An error after those that it wraps, the innermost first. */
function brokerCausesOf(thrown: unknown): readonly unknown[] {
  const chain = [thrown];
  for (let error = thrown; chain.length < 6; chain.unshift(error)) {
    const errors = property(error, 'errors');
    error = property(error, 'cause') ?? (Array.isArray(errors) ? errors[0] : undefined);
    if (error === undefined) break;
  }
  return chain;
}
