import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import http2 from 'node:http2';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { Health } from 'lifesign/node';
import { turn, until } from '../../core/waiting.js';
import { collect, listening } from '../serving.js';

afterEach(() => void vi.useRealTimers());

/** A stream as a client leaves it that resets it without an error code while a write is pending: it never closes. */
function left(state: { readonly closed: boolean; readonly writableFinished: boolean }) {
  const stream = Object.assign(new EventEmitter(), { destroyed: false, ...state });
  const response = Object.assign(new EventEmitter(), { stream, headersSent: true, statusCode: 200 });
  const request = { httpVersionMajor: 2, url: '/', method: 'GET', headers: {}, socket: new EventEmitter() };
  const { logger, summaries } = collect();
  const health = new Health({ logger, requestContext: false });
  health.listener(() => {})(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  onTestFinished(() => health.close());
  return { stream, over: () => summaries().length };
}

test('HTTP/2: a response that was ended is over 5 s after its stream closed on both sides, although Node never closes it', () => {
  vi.useFakeTimers();
  const { stream, over } = left({ closed: true, writableFinished: false });
  stream.emit('end');
  vi.advanceTimersByTime(4999);
  expect(over()).toBe(0);
  vi.advanceTimersByTime(1);
  expect(over()).toBe(1);
});

test('HTTP/2: a response that was not ended is over at once when its stream is aborted', () => {
  vi.useFakeTimers();
  const { stream, over } = left({ closed: true, writableFinished: false });
  stream.emit('aborted');
  vi.advanceTimersByTime(1);
  expect(over()).toBe(1);
});

test.each([
  { closed: false, writableFinished: false },
  { closed: true, writableFinished: true },
])('HTTP/2: a stream that will close has no timer: %o', (state) => {
  vi.useFakeTimers();
  const { stream, over } = left(state);
  stream.emit('end');
  expect(vi.getTimerCount()).toBe(0);
  stream.emit('close');
  expect(over()).toBe(1);
});

test.each(['GET', 'POST'])('HTTP/2: a slow reader has all the time it wants, %s', async (method) => {
  const { logger, summaries } = collect();
  const size = 300_000;
  // A body that is not read: its end comes with the end of the stream.
  const server = http2.createServer((_req, res) => void res.end('x'.repeat(size)));
  new Health(server, { logger });
  const client = http2.connect(await listening(server)).on('error', () => {});
  onTestFinished(() => client.destroy());
  const stream = client.request({ ':method': method, ':path': '/' });
  if (method === 'POST') stream.end('body');
  await once(stream, 'response');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  for (let minute = 0; minute < 10; minute += 1) {
    await turn();
    vi.advanceTimersByTime(60_000);
  }
  expect(summaries()).toEqual([]);
  vi.useRealTimers();
  let received = 0;
  stream.on('data', (bytes: Buffer) => (received += bytes.length));
  await once(stream, 'close');
  await until(() => summaries().length > 0);
  expect([received, summaries().map(({ fields }) => fields['code'])]).toEqual([size, [200]]);
});
