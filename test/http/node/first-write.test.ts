import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { NodeRequest } from 'lifesign/node';
import { type Connection, onFirstWrite } from '../../../src/http/node/first-write.js';
import { headerOf } from '../../../src/http/node/request.js';

/** A connection, the codes that were told of it and what came to it. */
function watched(own = false) {
  const written: unknown[] = [];
  class Socket extends EventEmitter implements Connection {
    write(...args: readonly unknown[]) {
      written.push(args[0]);
      return 'of write';
    }
    end(...args: readonly unknown[]) {
      written.push(args[0]);
    }
  }
  const socket = new Socket();
  const codes: (number | undefined)[] = [];
  if (own) Object.assign(socket, { write: socket.write.bind(socket) });
  const before = socket.write;
  onFirstWrite(socket, (code) => void codes.push(code));
  return { socket, codes, written, before };
}

test.each([
  ['HTTP/1.1 101 Switching Protocols\r\n', 101],
  [Buffer.from('HTTP/1.0 401 Unauthorized\r\n'), 401],
  ['hello', undefined],
  [7, undefined],
])('the code of %j is %s, told once, and the bytes go on', (bytes, code) => {
  const { socket, codes, written, before } = watched();
  expect(socket.write(bytes)).toBe('of write');
  socket.write('HTTP/1.1 500 x');
  socket.emit('close');
  expect(codes).toEqual([code]);
  expect(written).toEqual([bytes, 'HTTP/1.1 500 x']);
  expect(socket.write).toBe(before);
  expect(Object.hasOwn(socket, 'write')).toBe(false);
});

test('an end and a close are told too', () => {
  const ended = watched();
  ended.socket.end('HTTP/1.1 400 Bad Request');
  const closed = watched();
  closed.socket.emit('close');
  expect([ended.codes, closed.codes]).toEqual([[400], [undefined]]);
});

test('a method of the connection itself is put back, one that somebody else has replaced is left', () => {
  const own = watched(true);
  own.socket.write('x');
  expect(own.socket.write).toBe(own.before);
  const replaced = watched();
  const theirs = () => 'theirs';
  Object.assign(replaced.socket, { write: theirs });
  replaced.socket.end('x');
  expect(replaced.socket.write).toBe(theirs);
});

test('a header that came more than once is its first value', () => {
  const headers = { 'x-a': ['1', '2'], 'x-b': '3' };
  const request = { headers } as unknown as NodeRequest;
  expect(['x-a', 'x-b', 'x-c'].map((name) => headerOf(request, name))).toEqual(['1', '3', undefined]);
});
