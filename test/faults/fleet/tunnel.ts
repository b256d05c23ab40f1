import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';

/** A way to a server of which the test decides what passes. */
export interface Tunnel {
  readonly port: number;
  /** From now on nothing passes over the connections that are open; new ones work. */
  blackhole(): void;
  /** Closes every connection and refuses new ones, until `mend`. */
  cut(): void;
  /** Nothing passes over any connection, old or new; what was sent arrives after `mend`, as TCP sends it again. */
  drop(): void;
  /** Everything arrives so many milliseconds later, until `mend`. */
  delay(ms: number): void;
  mend(): void;
  /** From now on new connections go to another server. */
  redirect(to: number): void;
  close(): void;
}

export async function openTunnel(to: number): Promise<Tunnel> {
  let target = to;
  let state: 'open' | 'cut' | 'dropped' = 'open';
  let late = 0;
  const sockets = new Set<Socket>();
  const held = new Set<Socket>();
  const pass = (from: Socket, other: Socket) => {
    sockets.add(from);
    // A timer even without a delay would change the order against one that has just ended.
    let last = Promise.resolve();
    from.on('data', (chunk: Buffer) => {
      if (held.has(from)) return;
      const wait = late;
      last = last.then(() => (wait === 0 ? undefined : after(wait))).then(() => void other.write(chunk));
    });
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      // The other side never learns of a connection that ends in a black hole.
      if (!held.has(from)) other.destroy();
    });
  };
  const server = createServer((near) => {
    if (state === 'cut') {
      near.resetAndDestroy();
      return;
    }
    const far = connect(target, '127.0.0.1');
    pass(near, far);
    pass(far, near);
    if (state === 'dropped') for (const socket of [near, far]) socket.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    blackhole: () => sockets.forEach((socket) => held.add(socket)),
    cut() {
      state = 'cut';
      for (const socket of sockets) socket.destroy();
    },
    drop() {
      state = 'dropped';
      for (const socket of sockets) socket.pause();
    },
    delay(ms) {
      late = ms;
    },
    mend() {
      state = 'open';
      late = 0;
      for (const socket of sockets) socket.resume();
    },
    redirect(other) {
      target = other;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
