import { connect } from 'node:net';
import type { RunningHost } from './host.js';

/** Status and body of what a server says to exactly these bytes; status 0 where it says nothing. */
export function raw(
  host: RunningHost,
  method: string,
  target: string,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve) => {
    const socket = connect(host.port, '127.0.0.1');
    let text = '';
    socket.on('connect', () =>
      socket.write(
        `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nConnection: close\r\n\r\n`,
        'latin1',
      ),
    );
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      const [head = '', ...body] = text.split('\r\n\r\n');
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), body: body.join('\r\n\r\n') });
    });
  });
}

/** Whether a body is lifesign's: a report, a version of `of lifesign`, or the data of the page. */
export function isOurs(body: string): boolean {
  return /"status":"ok"|"status":null|of lifesign/.test(body);
}
