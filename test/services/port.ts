import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that the system gives to outgoing connections and to servers that listen on port 0. */
const first = 10_000;
const count = 22_000;
let next = process.pid * 101;

/**
 * A loopback port for a server that comes later, or that closes and comes back. No process of the tests gets it a second time while this one runs: a UDP
 * socket of the same number holds it, which the system gives to one process only and takes back when that ends.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + (next++ % count);
    if ((await isClaimed(port)) && (await isFree(port))) return port;
  }
}

/** Whether the port is now this process's own. */
async function isClaimed(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
    return true;
  } catch {
    socket.close();
    return false;
  }
}

/** Whether no server listens on it, on any address. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    if (server.listening) await once(server.close(), 'close');
  }
}
