import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

// Requests of probes are small and arrive at once. Node's own limits are those of an application behind a proxy.
const limits = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
};
const maxSilence = 120_000;
const maxRequestsPerConnection = 1000;
/** Below the 1,024 open files that many systems allow. */
const maxConnections = 500;

/** On servers of lifesign itself: lifesign/auto leaves them alone. */
const ownServer: symbol = Symbol.for('lifesign.server.1');

/** A server whose clients can neither hold it up nor fill its memory. */
export function boundedServer(listener: RequestListener): Server {
  // Not imported: only who asks for a server loads it.
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer(limits, listener);
  Reflect.set(server, ownServer, true);
  server.timeout = maxSilence;
  server.maxRequestsPerSocket = maxRequestsPerConnection;
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    // The oldest gives way: with maxConnections it would be the probe that is turned away.
    for (const oldest of open) {
      if (open.size <= maxConnections) break;
      open.delete(oldest);
      oldest.destroy();
    }
  });
  return server;
}
