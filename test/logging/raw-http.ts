import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The bytes of a request without a body, headers as they are given. */
export function requestText(
  method: string,
  path: string,
  headers: readonly (readonly string[])[] = [],
): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `${method} ${path} HTTP/1.1\r\nHost: acme\r\n${lines}\r\n`;
}

/** A connection on which bytes are sent as they are. */
export async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

/** Sends bytes and resolves with the status codes of all answers once the server has closed. */
export async function exchange(port: number, bytes: string): Promise<number[]> {
  return statusCodes(await open(port), bytes);
}

/** The same on a connection that is there. */
export async function statusCodes(socket: Duplex, bytes: string): Promise<number[]> {
  let received = '';
  socket.setEncoding('latin1').on('data', (piece: string) => (received += piece));
  socket.write(bytes, 'latin1');
  await new Promise((resolve) => socket.once('close', resolve));
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => Number(code));
}
