import { describe, expect, test } from 'vitest';
import * as endpoints from '../../src/core/endpoints.js';

const headersOf = (length: number) => ({
  'Content-Type': 'application/json',
  Vary: 'Accept-Encoding',
  'Cache-Control': 'no-store',
  'Content-Length': String(length),
});

describe('answers', () => {
  test.each([
    [endpoints.answerUp, 200, '{"status":"ok"}'],
    [endpoints.answerDraining, 503, '{"status":"draining"}'],
    [endpoints.answerBusy(1200), 200, '{"status":"busy","blockedFor":1200}'],
    [endpoints.answerStuck(61_000), 503, '{"status":"stuck","blockedFor":61000}'],
    [endpoints.answerNotFound, 404, '{"error":"not found"}'],
    [endpoints.answerVersion('{"version":"1"}'), 200, '{"version":"1"}'],
    [endpoints.answerNoVersion, 404, '{"error":"version.json not found"}'],
    [endpoints.answerBrokenVersion('it "broke"'), 500, '{"error":"it \\"broke\\""}'],
    [endpoints.answerPassed('{"status":"info"}'), 200, '{"status":"info"}'],
    [endpoints.answerFailed(503, '{"status":"error"}'), 503, '{"status":"error"}'],
  ])('%j', (answer, status, body) => {
    expect(answer).toEqual({ status, headers: headersOf(body.length), body });
  });

  test('a length is counted in octets', () => {
    expect(endpoints.json(200, '"café"').headers['Content-Length']).toBe('7');
    const { Buffer } = globalThis;
    Reflect.deleteProperty(globalThis, 'Buffer');
    try {
      // As on a worker.
      expect(endpoints.json(200, '"café"').headers['Content-Length']).toBe('7');
    } finally {
      globalThis.Buffer = Buffer;
    }
  });

  test('of another type, with headers of their own', () => {
    const more = { ETag: '"1"' };
    expect(endpoints.text(200, 'text/html', 'ä', more)).toEqual({
      status: 200,
      headers: { ...headersOf(2), 'Content-Type': 'text/html', ETag: '"1"' },
      body: 'ä',
    });
    expect(endpoints.text(404, 'text/plain', '')).toEqual({
      status: 404,
      headers: { ...headersOf(0), 'Content-Type': 'text/plain' },
      body: '',
    });
  });

  test('without a body, as HEAD asks for them', () => {
    expect(endpoints.withoutBody(endpoints.answerUp)).toEqual({
      status: 200,
      headers: headersOf(15),
      body: '',
    });
  });

  test('with their body compressed', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    expect(endpoints.withGzip(endpoints.answerUp, bytes)).toEqual({
      ...endpoints.answerUp,
      headers: { ...headersOf(3), 'Content-Encoding': 'gzip' },
      bytes,
    });
    expect(endpoints.withGzip(endpoints.answerUp, undefined)).toBe(endpoints.answerUp);
  });

  test('to methods that ask for nothing', () => {
    expect([endpoints.answerMethod('GET'), endpoints.answerMethod('HEAD')]).toEqual([undefined, undefined]);
    expect(endpoints.answerMethod('OPTIONS')).toEqual({
      status: 204,
      headers: { Vary: 'Accept-Encoding', 'Cache-Control': 'no-store', Allow: 'GET, HEAD, OPTIONS' },
      body: '',
    });
    for (const method of ['POST', 'get', 'TRACE', '']) {
      const body = '{"error":"method not allowed"}';
      expect(endpoints.answerMethod(method)).toEqual({
        status: 405,
        headers: { ...headersOf(body.length), Allow: 'GET, HEAD, OPTIONS' },
        body,
      });
    }
  });
});

test('a failure is a status of 400 and more', () => {
  expect([200, 204, 304, 399, 400, 404, 500, 599].filter(endpoints.isFailure)).toEqual([400, 404, 500, 599]);
});

test.each([
  ['', 'Accept-Encoding'],
  ['  ', 'Accept-Encoding'],
  ['Origin', 'Origin, Accept-Encoding'],
  ['Origin, Cookie', 'Origin, Cookie, Accept-Encoding'],
  ['accept-encoding', 'accept-encoding'],
  ['Origin ,  ACCEPT-Encoding ', 'Origin ,  ACCEPT-Encoding '],
  ['*', '*'],
  ['Origin, *', 'Origin, *'],
  ['X-Accept-Encoding', 'X-Accept-Encoding, Accept-Encoding'],
])('Vary %j becomes %j', (existing, merged) => {
  expect(endpoints.mergeVary(existing)).toBe(merged);
});
