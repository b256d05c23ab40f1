import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What the way to a server does with connections. */
export type Weather =
  /** All is well for new connections; frozen ones go on. */
  | 'heal'
  /** New connections are accepted and never answered; open ones go on. */
  | 'swallow'
  /** Nothing that comes from the server arrives on open connections; it is kept until `heal`. */
  | 'freeze'
  /** Open connections and those that were swallowed stay open and silent for good, whatever comes later. */
  | 'halfOpen';

interface Pair {
  readonly client: Socket;
  readonly server: Socket | undefined;
  dead: boolean;
}

/** A way to a server that a test can break. */
export interface Proxy {
  readonly port: number;
  /** Connections of the client that are open. */
  readonly open: () => number;
  set(weather: Weather): void;
  /** Milliseconds before a new connection is joined to the server. */
  delay: number;
  close(): Promise<void>;
}

export async function startProxy(target: number): Promise<Proxy> {
  const pairs = new Set<Pair>();
  let swallows = false;
  let frozen = false;

  const join = (client: Socket) => {
    if (client.destroyed) return;
    const server = connect(target, '127.0.0.1');
    const pair: Pair = { client, server, dead: false };
    pairs.add(pair);
    client.on('data', (chunk) => pair.dead || server.write(chunk));
    server.on('data', (chunk) => pair.dead || client.write(chunk));
    if (frozen) server.pause();
    const end = () => {
      if (pair.dead && !client.destroyed) return;
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('close', end).on('error', () => {});
  };

  const listener = createServer((client) => {
    client.on('error', () => {});
    if (swallows) {
      const pair: Pair = { client, server: undefined, dead: true };
      pairs.add(pair);
      client.resume();
      client.on('close', () => pairs.delete(pair));
      return;
    }
    if (proxy.delay === 0) join(client);
    else setTimeout(join, proxy.delay, client);
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const address = listener.address();

  const proxy: Proxy = {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    open: () => pairs.size,
    delay: 0,
    set(weather) {
      swallows = weather === 'swallow' || (swallows && weather !== 'heal');
      frozen = weather === 'freeze' || (frozen && weather !== 'heal');
      for (const pair of pairs) {
        if (weather === 'halfOpen') pair.dead = true;
        if (weather === 'freeze') pair.server?.pause();
        if (weather === 'heal' && !pair.dead) pair.server?.resume();
      }
    },
    async close() {
      listener.close();
      for (const { client, server } of pairs) {
        client.destroy();
        server?.destroy();
      }
    },
  };
  return proxy;
}
