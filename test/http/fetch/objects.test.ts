import { describe, expect, test } from 'vitest';
import { nodeOf, targetOf } from '../../../src/http/fetch/node.js';

const request = new Request('http://h/a');
const incoming = { url: '/a', socket: {} };
const outgoing = { headersSent: false, writableEnded: false, on() {} };

describe("Node's objects below a Request", () => {
  test.each([
    ['@hono/node-server', { incoming, outgoing }, request],
    ['@whatwg-node/server', { req: incoming, res: outgoing }, request],
    [
      'srvx',
      undefined,
      Object.assign(new Request('http://h/a'), { runtime: { node: { req: incoming, res: outgoing } } }),
    ],
  ])('are found as %s hands them out', (_server, beside, given) => {
    expect(nodeOf(given, beside)).toEqual({ incoming, outgoing });
  });

  test('an upgrade has no response', () => {
    expect(nodeOf(request, { incoming })).toEqual({ incoming, outgoing: undefined });
    expect(nodeOf(request, { req: incoming, res: { headersSent: false } })).toEqual({
      incoming,
      outgoing: undefined,
    });
  });

  test.each([
    ['nothing beside it', undefined, request],
    ['an environment', { KV: {} }, request],
    ['something else of that name', { incoming: 7 }, request],
    ['a request of another kind', { req: { url: '/a' } }, request],
    ['a request without an address', { req: { url: undefined, socket: {} } }, request],
    ['a runtime that is none', undefined, Object.assign(new Request('http://h/'), { runtime: 'node' })],
    [
      'a runtime that is not Node',
      undefined,
      Object.assign(new Request('http://h/'), { runtime: { bun: {} } }),
    ],
  ])('are not there with %s', (_what, beside, given) => {
    expect(nodeOf(given, beside)).toBeUndefined();
  });
});

test.each([
  ['http://h/a', undefined, '/a'],
  ['http://h/a', '/a', '/a'],
  ['http://h/y', '/x/../y', '/x/../y'],
  ['http://h/y', 'http://h/x/../y', '/x/../y'],
  // Mounted under a prefix: what the application has put in its place counts.
  ['http://h/inner', '/prefix/inner', '/inner'],
  ['http://h/a', '*', '/a'],
  ['http://h/a', 'http://[', '/a'],
])('the target of %s that was sent as %s is %s', (url, raw, target) => {
  expect(targetOf(new Request(url), raw)).toBe(target);
});
