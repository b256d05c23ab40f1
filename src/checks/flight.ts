import type { Socket } from 'node:net';
import { within } from '../core/time.js';
import { deadlineOf } from '../core/heartbeat/run.js';
import { host as runtime } from '../core/runtime.js';
import { NotReady, OwnError } from './client.js';

/** The run that starts something. */
export interface Starter {
  readonly signal: AbortSignal;
}

/**
 * One round trip at a time: who asks while one is under way waits for that one. It ends after they asked, so
 * its outcome is true for them, and a storm of heartbeats never takes more than one slot of a pool.
 * One whose time is up is not joined: it may never end, and the core starts new runs rarely then.
 */
export function inFlight<T>(start: (starter: Starter) => Promise<T>): (starter: Starter) => Promise<T> {
  let current: { readonly outcome: Promise<T>; readonly signal: AbortSignal } | undefined;
  return (starter) => {
    if (current !== undefined && !current.signal.aborted) return current.outcome;
    const flight = {
      signal: starter.signal,
      outcome: start(starter).finally(() => {
        if (current === flight) current = undefined;
      }),
    };
    current = flight;
    return flight.outcome;
  };
}

/** The answer, or a rejection as soon as the signal fires; a later answer is dropped. */
export function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    void answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** The share of its time after which a run without an answer says so, before the core says that it hangs. */
const waitingShare = 0.9;

/** How long a run may wait for something, in milliseconds; Infinity without a limit. */
export const timeToWait = (signal: AbortSignal, share = waitingShare): number =>
  Math.max(1, (deadlineOf(signal) - performance.now()) * share);

export const late = Symbol('late');

/** The answer, or `late` shortly before the time of the run is up. */
export const unlessLate = <T>(
  answer: PromiseLike<T>,
  signal: AbortSignal,
  share?: number,
): Promise<T | typeof late> => within<T | typeof late>(answer, timeToWait(signal, share), late);

/**
 * Why a client that could not connect at start is of no use: it has lost the error, so a connection like its own is tried. Rejects with that error,
 * or with only `text` if the server takes the connection. One attempt at a time, however long it takes.
 */
export function unconnected(
  text: string,
  connect: () => PromiseLike<unknown>,
): (starter: Starter) => Promise<never> {
  let trying: Promise<unknown> | undefined;
  return async ({ signal }) => {
    trying ??= failureOf(connect).finally(() => {
      trying = undefined;
    });
    const cause = await unlessLate(trying, signal);
    throw new NotReady(text, { cause: cause === late ? timedOut({}) : cause });
  };
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Why none of these addresses takes a connection; undefined if one does. */
export async function failureToReach(addresses: readonly Address[], { signal }: Starter): Promise<unknown> {
  const failures = await Promise.all(
    addresses.map(async (address) => {
      const connected = failureOf(() => connectTcp(address.host, address.port, signal));
      const failure = await unlessLate(connected, signal);
      return failure === late ? timedOut(address) : failure;
    }),
  );
  return failures.includes(undefined) ? undefined : failures[0];
}

/** The error of an attempt; undefined if it succeeds. */
async function failureOf(attempt: () => PromiseLike<unknown>): Promise<unknown> {
  try {
    await attempt();
    return undefined;
  } catch (thrown) {
    return thrown ?? {};
  }
}

const timedOut = (address: Partial<Address>) => ({ code: 'ETIMEDOUT', ...address });

/** Connects and closes; the socket is closed before the promise settles. */
export function connectTcp(host: string, port: number, signal: AbortSignal): Promise<void> {
  const net = runtime.getBuiltinModule?.('node:net');
  if (net === undefined) return Promise.reject(new OwnError('This runtime has no sockets'));
  return new Promise((resolve, reject) => {
    const socket: Socket = net.connect({ host, port });
    const end = (then: () => void) => {
      signal.removeEventListener('abort', giveUp);
      socket.destroy();
      then();
    };
    const giveUp = () => end(() => reject(signal.reason));
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once('connect', () => end(resolve));
    socket.once('error', (error) => end(() => reject(error)));
  });
}
