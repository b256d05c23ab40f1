import { host } from '../../core/runtime.js';
import { hasMethods, property } from '../client.js';
import { addErrorMonitor } from '../listening.js';

const channel = 'net.client.socket';

/** The pool of each request that waits for a connection now, and since when. */
const waiting = new Set<{ readonly pool: object; readonly since: number }>();
/** A pool gives up after 10 s unless it is configured otherwise: one that never does must not hide why the others fail. */
const maxWait = 30_000;

/**
 * Reports why connecting fails, until the returned function is called. A pool of mariadb keeps that to itself until its `acquireTimeout`, which is longer
 * than a check waits, and does not show its host. A socket of the driver is recognised by what the driver adds to it; if several pools wait, it may
 * belong to any of them.
 */
export function watchRefused(pool: object, refused: (error: unknown) => void): () => void {
  const channels = host.getBuiltinModule?.('node:diagnostics_channel');
  if (channels === undefined) return () => {};
  const stops: (() => void)[] = [];
  const onSocket = (message: unknown) => {
    const socket = property(message, 'socket');
    // The driver adds to a socket in the tick that creates it.
    host.nextTick?.(() => {
      if (!isOver && hasMethods(socket, 'writeBuf', 'flush')) stops.push(addErrorMonitor(socket, onError));
    });
  };
  const onError = (error: unknown) => {
    const others = [...waiting].filter((each) => each.pool !== pool);
    if (others.every(({ since }) => performance.now() - since > maxWait)) refused(error);
  };
  let isOver = false;
  const own = { pool, since: performance.now() };
  waiting.add(own);
  channels.subscribe(channel, onSocket);
  return () => {
    isOver = true;
    waiting.delete(own);
    channels.unsubscribe(channel, onSocket);
    for (const stop of stops) stop();
  };
}
