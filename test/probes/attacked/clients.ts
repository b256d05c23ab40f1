import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pause } from '../../core/waiting.js';

/** A client that does its worst once, on a port of a service; called again until the attack is over. */
type Attack = (port: number, turn: number) => Promise<void>;

const paths = ['/readyz', '/livez', '/startupz', '/__peer__', '/__heartbeat__', '/__metrics__', '/'];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', 'PROPFIND', 'BREW'];
const queries = [
  '',
  '?verbose',
  '?check=check_database_connected',
  '?check=%00&check=__proto__',
  '?%',
  `?${'a'.repeat(4000)}`,
];
const headers = [
  '',
  'Connection: close\r\n',
  'Expect: 100-continue\r\n',
  'X-Forwarded-For: 127.0.0.1\r\nX-Request-Id: \u0001\r\n',
  'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
  'Content-Length: 1000000\r\n',
  `Cookie: ${'c'.repeat(12_000)}\r\n`,
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n',
];

const at = <Item>(list: readonly Item[], index: number): Item => list[index % list.length] as Item;
const request = (method: string, target: string, more = '') =>
  `${method} ${target} HTTP/1.1\r\nHost: acme\r\n${more}\r\n`;

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.resume();
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

/** Sends bytes and waits a little for whatever comes; then the client is gone. */
async function send(port: number, bytes: string, stay = 100): Promise<void> {
  const socket = await open(port);
  socket.write(bytes);
  await Promise.race([pause(stay), once(socket, 'close')]);
  socket.destroy();
}

/** By what they do. None of them asks the database for more than the service offers to everybody. */
export const attacks: Readonly<Record<string, Attack>> = {
  // In time most methods meet most queries and headers.
  odd: (port, turn) =>
    send(port, request(at(methods, turn), at(paths, turn) + at(queries, turn >> 1), at(headers, turn >> 2))),
  flood: async (port, turn) => {
    await Promise.all(
      Array.from({ length: 3 }, () => send(port, request('GET', at(paths, turn)).repeat(10), 200)),
    );
  },
  pipelining: (port, turn) =>
    send(
      port,
      paths
        .map((path) => request(at(methods, turn), path))
        .join('')
        .repeat(10),
      50,
    ),
  upgrades: (port, turn) => send(port, request('GET', at(paths, turn), at(headers, 7 + (turn % 2)))),
  tunnels: (port) => send(port, request('CONNECT', '127.0.0.1:1')),
  garbage: (port, turn) => send(port, String.fromCharCode(turn % 256).repeat(2000)),
  // Half a request, a byte at a time.
  slowloris: async (port, turn) => {
    const socket = await open(port);
    socket.write(`${at(methods, turn)} ${at(paths, turn)} HTTP/1.1\r\nHost: acme\r\n`);
    for (let count = 0; count < 20 && !socket.destroyed; count += 1, await pause(100)) socket.write('X');
    socket.destroy();
  },
  aborted: async (port, turn) => {
    const socket = await open(port);
    socket.write(request('GET', turn % 8 === 7 ? '/slow' : at(paths, turn)));
    await pause(turn % 5);
    socket.resetAndDestroy();
  },
  // Two megabytes to where they are read, and to where they are not.
  bodies: async (port, turn) => {
    const socket = await open(port);
    const target = turn % 2 === 0 ? '/ignore' : at(paths, turn);
    socket.write(request('POST', target, `Content-Length: ${2 << 20}\r\n`));
    for (let count = 0; count < 32 && !socket.destroyed; count += 1, await pause(5)) {
      socket.write(Buffer.alloc(1 << 16));
    }
    socket.destroy();
  },
  // Forty connections that ask now and then.
  keptAlive: async (port, turn) => {
    const sockets = await Promise.all(Array.from({ length: 40 }, () => open(port)));
    for (let count = 0; count < 4; count += 1, await pause(300)) {
      for (const socket of sockets) socket.write(request('GET', at(paths, turn + count)));
    }
    for (const socket of sockets) socket.destroy();
  },
};

/**
 * All connections of the pool are held without a query for `hold` milliseconds, by clients that stay and by clients that leave; then twelve
 * clients ask what is slow. Only on the port of the application.
 */
export async function exhaust(port: number, turn: number, hold: number): Promise<void> {
  const holders = Array.from({ length: 3 }, (_each, index) =>
    send(port, request('GET', '/hold'), index < turn % 4 ? hold : 500),
  );
  await Promise.all([...holders, pause(hold)]);
  await Promise.all(Array.from({ length: 12 }, () => send(port, request('GET', '/slow'), 2500)));
}
