import type { NodeRequest, NodeResponse } from './request.js';

/** Work for the moment a connection closes. */
const waiting = new WeakMap<object, Set<() => void>>();

/** Whether a request came over a connection: on serverless platforms it has an object of their own. */
export function isConnection<S extends object>(socket: S | undefined): socket is S {
  return socket !== undefined && 'once' in socket;
}

/**
 * Calls `over` when a response ends: sent, cut or given up. It may be called twice.
 * Before Node 24, a response that waits for those before it on its connection gets no event when the client leaves;
 * its connection is. Nothing is kept longer than the connection.
 */
export function onOver(req: NodeRequest, res: NodeResponse, over: () => void): void {
  res.on('close', over);
  const { stream } = res;
  if (stream !== undefined) {
    onStreamOver(stream, over);
    return;
  }
  // Only such a response has no socket yet.
  if (res.socket !== null) return;
  const { socket }: { socket?: NodeRequest['socket'] } = req;
  if (!isConnection(socket)) return;
  let all = waiting.get(socket);
  if (all === undefined) {
    const made = new Set<() => void>();
    all = made;
    waiting.set(socket, all);
    socket.once('close', () => {
      for (const each of made) each();
      made.clear();
    });
  }
  all.add(over);
  res.on('close', () => void all.delete(over));
}

/** Milliseconds that the last bytes may take to leave a stream that is closed on both sides. */
const maxToLeave = 5000;

/** HTTP/2: if its session is destroyed, a response to HEAD that has not begun gets no event; its stream does. */
function onStreamOver(stream: NonNullable<NodeResponse['stream']>, over: () => void): void {
  stream.once?.('close', over);
  if (stream.destroyed === true) setImmediate(over);
  // A client that resets its stream without an error code may leave a write in the stream that never ends. Node waits for that
  // write before it closes the stream, and then neither the session nor the socket ever closes.
  stream.once?.('aborted', () => void setImmediate(over));
  stream.once?.('end', () => {
    if (stream.closed !== true || stream.writableFinished) return;
    const late = setTimeout(over, maxToLeave).unref();
    stream.once?.('close', () => clearTimeout(late));
  });
}
