import { host } from '../../core/runtime.js';
import { hasMethods, property } from '../client.js';
import { hearErrors } from '../listening.js';

const channel = 'net.client.socket';

/** The pool of each request that waits for a connection now. */
const waiting: object[] = [];

/**
 * Reports why connecting fails, until the returned function is called. A pool of mariadb keeps that to itself until its `acquireTimeout`, which is longer
 * than a check waits, and does not show its host. A socket of the driver is recognised by what the driver adds to it; if several pools wait, it may
 * belong to any of them.
 */
export function hearRefused(pool: object, refused: (error: unknown) => void): () => void {
  const channels = host.getBuiltinModule?.('node:diagnostics_channel');
  if (channels === undefined) return () => {};
  const stops: (() => void)[] = [];
  const onSocket = (message: unknown) => {
    const socket = property(message, 'socket');
    // The driver adds to a socket in the tick that creates it.
    host.nextTick?.(() => {
      if (!isOver && hasMethods(socket, 'writeBuf', 'flush')) stops.push(hearErrors(socket, onError));
    });
  };
  const onError = (error: unknown) => {
    if (waiting.every((each) => each === pool)) refused(error);
  };
  let isOver = false;
  waiting.push(pool);
  channels.subscribe(channel, onSocket);
  return () => {
    isOver = true;
    waiting.splice(waiting.indexOf(pool), 1);
    channels.unsubscribe(channel, onSocket);
    for (const stop of stops) stop();
  };
}
