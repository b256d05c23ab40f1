import type { Starter } from '../flight.js';

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
