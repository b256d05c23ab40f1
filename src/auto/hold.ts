import type { Server, Socket } from 'node:net';

/**
 * Keeps the connections of a server back until the returned function is called: none is lost, and no request reaches
 * the application before its Health is there.
 */
export function hold(server: Server): () => void {
  const held: Socket[] = [];
  const own = Object.hasOwn(server, 'emit');
  const emit: unknown = Reflect.get(server, 'emit');
  if (typeof emit !== 'function') return () => {};
  let open = false;
  const holding = (event: string, ...args: readonly unknown[]): unknown => {
    const [socket] = args;
    if (open || event !== 'connection' || !isSocket(socket))
      return Reflect.apply(emit, server, [event, ...args]);
    // A client that leaves meanwhile must not end the process.
    socket.on('error', ignore);
    return held.push(socket) > 0;
  };
  Reflect.set(server, 'emit', holding);
  return () => {
    open = true;
    // Others may have put theirs on top of it by now.
    if (Reflect.get(server, 'emit') === holding) {
      if (own) Reflect.set(server, 'emit', emit);
      else Reflect.deleteProperty(server, 'emit');
    }
    for (const socket of held.splice(0)) {
      // Nothing has reported a client that left silently, and a server that closes would wait for it.
      if (socket.readableEnded) socket.destroy();
      if (!socket.destroyed) server.emit('connection', socket);
      socket.off('error', ignore);
    }
  };
}

function ignore(): void {
  // Passed on to the next owner of the connection.
}

function isSocket(value: unknown): value is Socket {
  return typeof value === 'object' && value !== null && 'destroyed' in value && 'off' in value;
}
