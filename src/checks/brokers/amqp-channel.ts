import { isPromise } from '../../core/guard.js';
import { call, isObject, property } from '../client.js';
import { orAborted, type Starter } from '../flight.js';
import { closed } from './broker.js';
import { brokerReason } from './reasons.js';

/** The result of a method of amqplib, which returns a promise or takes a callback. */
export function answerOf(target: object, method: string, ...given: readonly unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown, answer?: unknown) =>
      error === null || error === undefined ? resolve(answer) : reject(error);
    const returned = call(target, method, ...given, done);
    if (isPromise(returned)) void returned.then(resolve, reject);
  });
}

/** Whether the connection of a channel still knows it. */
export function isOpenChannel(channel: object): boolean {
  const channels = property(property(channel, 'connection'), 'channels');
  const number = property(channel, 'ch');
  if (!Array.isArray(channels) || typeof number !== 'number') return true;
  return property(channels[number], 'channel') === channel;
}

/**
 * Uses a separate channel on the same connection and closes it again: an error of the server closes the
 * channel it came over, and that must not be the application's.
 */
export async function overOwnChannel<T>(
  sibling: object,
  { signal }: Starter,
  use: (channel: object) => Promise<T>,
): Promise<T> {
  const connection = property(sibling, 'connection');
  const Channel = property(sibling, 'constructor');
  if (!isObject(connection) || typeof Channel !== 'function') throw closed();
  const own: object = Reflect.construct(Channel, [connection]);
  call(own, 'on', 'error', () => {});
  const opening = answerOf(own, 'open');
  try {
    await orAborted(opening, signal);
    return await orAborted(use(own), signal);
  } finally {
    // One that is opened later is closed then.
    opening.then(
      () => close(own),
      () => {},
    );
  }
}

function close(channel: object): void {
  if (!isOpenChannel(channel)) return;
  try {
    answerOf(channel, 'close').catch(() => {});
  } catch {
    // The connection is closed, and the channel with it.
  }
}

/** Why a server closed a channel: its code and its name for that, without the words after them. */
export function amqpReason(thrown: unknown): string {
  const found = /\b(\d{3}) \(([A-Z][A-Z-]{2,40})\)/.exec(String(property(thrown, 'message')).slice(0, 500));
  return found === null ? brokerReason(thrown).text : `${found[2]} (${found[1]})`;
}
