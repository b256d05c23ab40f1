import { within } from '../core/time.js';
import { deadlineOf } from '../core/heartbeat/run.js';
import { host as runtime } from '../core/runtime.js';
import { OwnError } from './client.js';

/** The run that starts something. */
export interface Starter {
  readonly signal: AbortSignal;
}

/**
 * One round trip at a time: a caller that comes while one is under way waits for that one. It ends after the call, so
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

/** Connects and closes; the socket is closed before the promise resolves. */
export async function connectTcp(host: string, port: number, signal: AbortSignal): Promise<void> {
  const net = runtime.getBuiltinModule?.('node:net');
  if (net === undefined) throw new OwnError('This runtime has no sockets');
  const socket = net.connect({ host, port });
  const connected = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  try {
    await orAborted(connected, signal);
  } finally {
    socket.destroy();
  }
}
