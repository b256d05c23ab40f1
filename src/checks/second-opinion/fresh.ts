import { attempt } from '../../core/runtime.js';
import { type Clock, realClock } from '../../core/time.js';
import { isObject, property } from '../client.js';
import { type Starter, timeToWait } from '../flight.js';
import { ignore, partFrom, quietly, Unserved } from '../pools/unserved.js';
import type { Inquiry } from './server-word.js';

/** A connection outside of the application's client, which is being made. */
export interface FreshConnection {
  /** Settles when it answered the question of the check, or failed. */
  readonly answered: Promise<unknown>;
  /** Identifies the server and the database that it leads to, by `identityOf`. */
  readonly identity: string;
  /** How the state of other connections is read from the server over it. */
  readonly inquiry?: Inquiry;
  /** Ends the session, if the driver has a way to. */
  readonly end?: () => unknown;
  /** Lets go of the socket, in whichever state it is; resolves when the server has closed it too. */
  close(): Promise<void> | undefined;
}

/** Makes one; undefined if the client does not show how. */
export type Connect = (time: number) => FreshConnection | undefined;

/** The outcome of a fresh connection. */
export type Outcome = 'answered' | 'late' | 'impossible' | { readonly thrown: unknown };

/** State shared by all opinions on one dependency. */
export interface OpinionState {
  readonly clock: Clock;
  readonly unserved: Unserved;
}

/** How long a connection that has answered may take to say goodbye. */
const farewell = 200;

/** Queries the server over a connection of its own, which is ended before this resolves. While the server keeps one waiting, no other is opened. It never rejects. */
export async function queryAfresh(
  connect: Connect,
  time: number,
  { clock, unserved }: OpinionState,
  inquire: (inquiry: Inquiry | undefined) => Promise<unknown> = async () => {},
): Promise<Outcome> {
  const due = clock.now() + time;
  const rest = () => Math.max(1, due - clock.now());
  if (!(await unserved.isClear(time))) return 'late';
  let isServed = true;
  let connection: FreshConnection | undefined;
  let outcome: Outcome;
  try {
    connection = connect(time);
    if (connection === undefined) return 'impossible';
    const answered = connection.answered.then((): Outcome => 'answered');
    outcome = await clock.within<Outcome>(answered, rest(), 'late');
    isServed = outcome === 'answered';
    if (isServed) {
      const inquired = inquire(connection.inquiry).then(() => true);
      isServed = await clock.within<boolean>(inquired, rest(), false);
      const goodbye = quietly(() => connection?.end?.());
      await clock.within(goodbye, farewell, undefined);
    }
  } catch (thrown) {
    outcome = { thrown };
  }
  const closed = attempt(() => connection?.close());
  if (isServed) unserved.reset();
  else unserved.add(closed, true, time);
  return outcome;
}

/** Why a connection like the client's own fails, which is tried and closed; undefined if it works. Some clients have lost the error, others are busy. */
export function failureOfFresh(connect: Connect): (starter: Starter) => Promise<unknown> {
  const state = { clock: realClock, unserved: new Unserved() };
  return async ({ signal }) => {
    const outcome = await queryAfresh(connect, timeToWait(signal), state);
    if (outcome === 'late') return { code: 'ETIMEDOUT' };
    return typeof outcome === 'object' ? outcome.thrown : undefined;
  };
}

/** An object with the same properties, those that are hidden included, and some of its own. */
export function copyWith(settings: unknown, changes: Readonly<Record<string, unknown>>): object {
  const from = isObject(settings) ? settings : {};
  const copy: object = Object.create(Object.getPrototypeOf(from), Object.getOwnPropertyDescriptors(from));
  for (const [name, value] of Object.entries(changes)) {
    Object.defineProperty(copy, name, { value, configurable: true, enumerable: true, writable: true });
  }
  return copy;
}

const identifying = ['host', 'port', 'path', 'socketPath', 'database', 'db', 'name'];

/** Identifies a server and its database, from the settings of a client: never who logs in. */
export const identityOf = (...settings: readonly unknown[]): string =>
  JSON.stringify(settings.map((each) => identifying.map((name) => String(property(each, name)))));

/** Whether settings have a stream that was given and not one that a function makes: that is the application's own connection. */
export function hasOwnStream(settings: unknown): boolean {
  const stream = property(settings, 'stream');
  return isObject(stream) && typeof stream !== 'function';
}

/** Lets go of sockets: one that was upgraded to TLS has another below it. */
export function partFromSockets(...sockets: readonly unknown[]): Promise<void> | undefined {
  const closed = [...new Set(sockets)].flatMap((socket) => partFrom(socket, ignore) ?? []);
  return closed.length === 0 ? undefined : Promise.race(closed);
}

/** An instance of a class of the driver; undefined if the client does not show the class. */
export function construct(Class: unknown, ...given: readonly unknown[]): object | undefined {
  if (typeof Class !== 'function') return undefined;
  const made: object = Reflect.construct(Class, given);
  return made;
}
