import { attempt } from '../../core/runtime.js';
import { type Clock, realClock } from '../../core/time.js';
import { isObject, property } from '../client.js';
import { abandon, Abandoned, ignore, quietly } from '../pools/abandoned.js';
import { timeToWait } from '../round-trip.js';
import type { Inquiry } from './server-word.js';

/** A connection outside of the application's client, which is being made. */
export interface FreshConnection {
  /** Resolves when it has answered the ping of the check. */
  readonly answered: Promise<unknown>;
  /** Identifies the server and the database that it leads to, by `identityOf`. */
  readonly identity: string;
  /** How the state of other connections is read from the server over it. */
  readonly inquiry?: Inquiry;
  /** Ends the session, if the driver has a way to. */
  readonly end?: () => unknown;
  /** Closes the socket, also while it connects; resolves when the server has closed it too. */
  close(): Promise<void> | undefined;
}

export type Connect = (time: number) => FreshConnection | undefined;

export type Outcome = 'answered' | 'late' | 'impossible' | { readonly thrown: unknown };

/** State shared by all opinions on one dependency. */
export interface OpinionState {
  readonly clock: Clock;
  readonly abandoned: Abandoned;
}

/** How long a connection that has answered may take to end its session, in milliseconds. */
const endTimeout = 200;

/** Queries the server over a connection of its own, which is closed before this resolves. Never rejects, and opens no second one while the server keeps one waiting. */
export async function queryAfresh(
  connect: Connect,
  time: number,
  { clock, abandoned }: OpinionState,
  inquire: (inquiry: Inquiry | undefined) => Promise<unknown> = async () => {},
): Promise<Outcome> {
  const due = clock.now() + time;
  const rest = () => Math.max(1, due - clock.now());
  if (!(await abandoned.isClear(time))) return 'late';
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
      const ended = quietly(() => connection?.end?.());
      await clock.within(ended, endTimeout, undefined);
    }
  } catch (thrown) {
    outcome = { thrown };
  }
  const closed = attempt(() => connection?.close());
  if (isServed) abandoned.reset();
  else abandoned.add(closed, true, time);
  return outcome;
}

/** Why a connection like the client's own fails, which is tried and closed; undefined if it works. Some clients have lost the error, others are busy. */
export function failureOfFresh(connect: Connect): (signal: AbortSignal) => Promise<unknown> {
  const state = { clock: realClock, abandoned: new Abandoned() };
  return async (signal) => {
    const outcome = await queryAfresh(connect, timeToWait(signal), state);
    if (outcome === 'late') return { code: 'ETIMEDOUT' };
    return typeof outcome === 'object' ? outcome.thrown : undefined;
  };
}

/** A copy of settings, hidden properties included, with some changes. */
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

/** Whether settings have a stream, and not a function that makes one: it is the application's own connection. */
export function hasOwnStream(settings: unknown): boolean {
  const stream = property(settings, 'stream');
  return isObject(stream) && typeof stream !== 'function';
}

/** Closes the sockets of one connection: one that was upgraded to TLS has another below it. */
export function abandonSockets(...sockets: readonly unknown[]): Promise<void> | undefined {
  const closed = [...new Set(sockets)].flatMap((socket) => abandon(socket, ignore) ?? []);
  return closed.length === 0 ? undefined : Promise.race(closed);
}

/** An instance of a class of the driver; undefined if the client does not show the class. */
export function construct(Class: unknown, ...args: readonly unknown[]): object | undefined {
  if (typeof Class !== 'function') return undefined;
  const instance: object = Reflect.construct(Class, args);
  return instance;
}
