import type { NodeRequest, NodeResponse } from './request.js';

/** What is to be done when a connection closes. */
const waiting = new WeakMap<object, Set<() => void>>();

/**
 * Calls `over` when a response is over: sent, cut or given up. It may be called twice.
 * Before Node 24, a response that waits for those before it on its connection is told nothing when the client leaves;
 * its connection is. Nothing is kept longer than the connection.
 */
export function onOver(req: NodeRequest, res: NodeResponse, over: () => void): void {
  res.on('close', over);
  // Only such a response has no socket yet.
  if (res.socket !== null) return;
  const { socket }: { socket?: NodeRequest['socket'] } = req;
  if (socket === undefined) return;
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
