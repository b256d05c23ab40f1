import { catchRejection } from '../../core/guard.js';
import { within } from '../../core/deadlines.js';
import { call, isObject, property } from '../client.js';
import type { Inquiry } from './server-word.js';

/** A connection outside of the application's client, which is being made. */
export interface FreshConnection {
  /** Settles when it answered the question of the check, or failed. */
  readonly answered: Promise<unknown>;
  /** How the server is asked about other connections over it. */
  readonly inquiry?: Inquiry;
  /** Says goodbye to the server, where the driver has a way to. */
  readonly end?: () => unknown;
  /** Lets go of the socket, in whichever state it is. */
  close(): void;
}

/** Makes one; undefined where the client does not show how. */
export type Connect = (time: number) => FreshConnection | undefined | Promise<FreshConnection | undefined>;

/** What a fresh connection came to. */
export type Outcome = 'answered' | 'late' | 'impossible' | { readonly thrown: unknown };

/** How long a connection that has answered may take to say goodbye. */
const farewell = 200;

/** Asks the server over a connection of its own, which is closed before this settles. It never rejects. */
export async function askAfresh(
  connect: Connect,
  time: number,
  inquire: (inquiry: Inquiry | undefined) => Promise<unknown> = async () => {},
): Promise<Outcome> {
  const due = performance.now() + time;
  let connection: FreshConnection | undefined;
  try {
    connection = await connect(time);
    if (connection === undefined) return 'impossible';
    const answered = connection.answered.then((): Outcome => 'answered');
    const outcome = await within<Outcome>(answered, time, 'late');
    if (outcome === 'answered') {
      await within<unknown>(inquire(connection.inquiry), Math.max(1, due - performance.now()), undefined);
      await within<unknown>(goodbye(connection), farewell, undefined);
    }
    return outcome;
  } catch (thrown) {
    return { thrown };
  } finally {
    quietly(() => connection?.close());
  }
}

async function goodbye({ end }: FreshConnection): Promise<void> {
  try {
    await end?.();
  } catch {
    // It is closed next.
  }
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

/** Whether settings have a stream that was given and not one that a function makes: that is the application's own connection. */
export function hasOwnStream(settings: unknown): boolean {
  const stream = property(settings, 'stream');
  return isObject(stream) && typeof stream !== 'function';
}

/** An error of a connection without a listener ends the process. */
export const listenForErrors = (emitter: unknown): unknown => call(emitter, 'on', 'error', ignore);
const ignore = () => {};

/** Destroys sockets: one that was upgraded to TLS has another below it. */
export function destroySockets(...sockets: readonly unknown[]): void {
  for (const socket of sockets) {
    quietly(() => listenForErrors(socket));
    quietly(() => call(socket, 'destroy'));
  }
}

export function quietly(act: () => unknown): void {
  try {
    catchRejection(act(), ignore);
  } catch {
    // There is nothing left to let go of.
  }
}

/** What a driver that calls back came to. */
export function calledBack(
  ask: (done: (error: unknown, result?: unknown) => void) => unknown,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    ask((error, result) => (error === null || error === undefined ? resolve(result) : reject(error)));
  });
}

/** What a class of the driver makes; undefined where the client does not show it. */
export function construct(Class: unknown, ...given: readonly unknown[]): object | undefined {
  if (typeof Class !== 'function') return undefined;
  const made: object = Reflect.construct(Class, given);
  return made;
}
