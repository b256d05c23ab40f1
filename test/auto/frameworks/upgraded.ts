import { once } from 'node:events';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import type { Running } from '../start.js';

/** Speaks over a WebSocket that sends back what it gets; what is logged of it. */
export async function upgraded(app: Running, path: string): Promise<readonly string[]> {
  const socket = new WebSocket(`ws://127.0.0.1:${app.port}${path}`);
  await once(socket, 'open');
  socket.send('hello');
  expect(String((await once(socket, 'message'))[0])).toBe('hello');
  socket.close();
  await once(socket, 'close');
  return [`GET ${path} 101`];
}
