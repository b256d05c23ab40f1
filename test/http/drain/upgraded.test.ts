import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { isHeldPoll, Upgraded } from '../../../src/http/drain/websockets.js';

afterEach(() => void vi.useRealTimers());

/** A connection that `ws` has taken over, in some state. */
function connection(webSocket: unknown) {
  const said: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    destroy: () => void said.push('destroyed'),
    [Symbol('other')]: {},
    [Symbol('websocket')]: webSocket,
  });
  return { socket: socket as unknown as Socket & EventEmitter, said };
}
const webSocket = (said: string[], readyState = 1, bufferedAmount = 0) => ({
  readyState,
  bufferedAmount,
  close: (code: number, reason: string) => void said.push(`${code} ${reason}`),
});

test('a WebSocket is closed after what was sent over it, or at once', () => {
  const said: string[] = [];
  const state = webSocket(said, 1, 10);
  const upgraded = new Upgraded();
  const { socket } = connection(state);
  upgraded.note(socket);
  upgraded.note(socket);
  upgraded.close(false);
  expect(said).toEqual([]);
  upgraded.close(true);
  state.bufferedAmount = 0;
  upgraded.close(false);
  expect(said).toEqual(['1001 going away', '1001 going away']);
  expect(upgraded.has(socket)).toBe(true);
  socket.emit('close');
  expect(upgraded.has(socket)).toBe(false);
});

test('a client that does not answer the close frame has two seconds from when it went out', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const state = webSocket([], 2, 5);
  const { socket, said } = connection(state);
  const upgraded = new Upgraded();
  upgraded.note(socket);
  const closeAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    upgraded.close(false);
  };
  closeAfter(1);
  closeAfter(5000);
  state.bufferedAmount = 0;
  closeAfter(1);
  closeAfter(2000);
  expect(said).toEqual([]);
  closeAfter(1);
  expect(said).toEqual(['destroyed']);
});

test('what is no WebSocket of ws, and one that throws, are left to the application', () => {
  const throwing = {
    ...webSocket([]),
    close() {
      throw new Error('of the application');
    },
  };
  for (const value of [
    undefined,
    null,
    {},
    { readyState: '1' },
    { readyState: 1, bufferedAmount: '0' },
    throwing,
  ]) {
    const { socket, said } = connection(value);
    const upgraded = new Upgraded();
    upgraded.note(socket);
    upgraded.close(true);
    expect(said).toEqual([]);
  }
  expect(new Upgraded().has(connection(undefined).socket)).toBe(false);
});

test.each([
  [true, {}],
  [false, { headersSent: true }],
  [false, { method: 'POST' }],
  [false, { cleanup: undefined }],
  [false, { query: undefined }],
  [false, { query: null }],
  [false, { query: {} }],
  [false, { query: { transport: 'websocket' } }],
])('%s: a poll of socket.io that is held back, %j', (held, odd) => {
  const { headersSent, method, cleanup, query } = {
    headersSent: false,
    method: 'GET',
    cleanup: () => {},
    query: { transport: 'polling' },
    ...odd,
  };
  const response = { headersSent, req: { method, cleanup, _query: query } };
  expect(isHeldPoll(response as unknown as ServerResponse)).toBe(held);
});
