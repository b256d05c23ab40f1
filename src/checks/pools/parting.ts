import { call, hasMethods, property } from '../client.js';

/**
 * Drops a connection that gave no answer, without closing its socket: the socket is only ended. A proxy that keeps its clients waiting, such as PgBouncer,
 * does not notice that a client has left, and a closed socket would not show when it does. Settles when the server has closed the connection too;
 * undefined if no server has it.
 */
export function partFrom(socket: unknown, drop: () => unknown): Promise<void> | undefined {
  const isOpen = property(socket, 'destroyed') !== true && property(socket, 'connecting') !== true;
  if (!isOpen || !hasMethods(socket, 'destroy', 'end', 'resume', 'once', 'removeAllListeners')) {
    quietly(() => call(socket, 'on', 'error', ignore));
    quietly(drop);
    quietly(() => call(socket, 'destroy'));
    return undefined;
  }
  // Drivers destroy the socket of a connection that they drop.
  Object.defineProperty(socket, 'destroy', { value: () => socket, configurable: true });
  quietly(drop);
  Reflect.deleteProperty(socket, 'destroy');
  call(socket, 'removeAllListeners', 'data');
  call(socket, 'on', 'error', ignore);
  const gone = new Promise<void>((resolve) => void call(socket, 'once', 'close', () => resolve()));
  for (const method of ['end', 'resume', 'unref']) quietly(() => call(socket, method));
  return gone;
}

/** Whether a server has accepted the connection of a socket, which may be closed by now; undefined for anything else. */
export function wasAccepted(socket: unknown): boolean | undefined {
  const written = property(socket, 'bytesWritten');
  return typeof written === 'number' ? property(socket, 'connecting') !== true && written > 0 : undefined;
}

const ignore = () => {};

/** Calls a function of a driver. Its errors are about a connection that was given up. */
export function quietly(act: () => unknown): void {
  try {
    const returned = act();
    void Promise.resolve(returned).catch(ignore);
  } catch {
    // There is nothing left to close.
  }
}
