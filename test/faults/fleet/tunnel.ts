import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';

/** A way to a server of which the test decides what passes. */
export interface Tunnel {
  readonly port: number;
  /** From now on nothing passes over the connections that are open; new ones are as good as ever. */
  blackhole(): void;
  /** From now on new connections go to another server. */
  redirect(to: number): void;
  close(): void;
}

export async function openTunnel(to: number): Promise<Tunnel> {
  let target = to;
  const sockets = new Set<Socket>();
  const held = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('data', (chunk: Buffer) => void (held.has(one) || other.write(chunk)));
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        // Of a connection in a black hole nobody hears that it is gone.
        if (!held.has(one)) other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    blackhole: () => sockets.forEach((socket) => held.add(socket)),
    redirect(other) {
      target = other;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
