import type { Socket } from 'node:net';
import { host as runtime } from '../core/runtime.js';

/** Connects and closes; the socket is closed before the promise settles. */
export function connectTcp(host: string, port: number, signal: AbortSignal): Promise<void> {
  const net = runtime.getBuiltinModule?.('node:net');
  if (net === undefined) return Promise.reject(new Error('This runtime has no sockets'));
  return new Promise((resolve, reject) => {
    const socket: Socket = net.connect({ host, port });
    const end = (then: () => void) => {
      signal.removeEventListener('abort', giveUp);
      socket.destroy();
      then();
    };
    const giveUp = () => end(() => reject(signal.reason));
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once('connect', () => end(resolve));
    socket.once('error', (error) => end(() => reject(error)));
  });
}
