import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { Health } from 'lifesign/fetch';

const handle = new Health({ logger: false }).wrap(
  (_request: Request, ..._beside: readonly unknown[]) => new Response('of the application'),
);
/** Whether lifesign answers, which depends on the path that was sent, where that is known. */
async function isOurs(request: Request, beside?: unknown): Promise<boolean> {
  return (await (await handle(request, beside)).text()) === '{"status":"ok"}';
}
const path = '/__lbheartbeat__';
const asking = (more: object = {}) => Object.assign(new Request(`http://h${path}`), more);

describe("the path as it was sent, of Node's objects below a Request", () => {
  const incoming = Object.assign(new EventEmitter(), { url: `/x/..${path}`, socket: new EventEmitter() });
  const outgoing = Object.assign(new EventEmitter(), { headersSent: false, writableEnded: false });

  test.each<[string, unknown, Request]>([
    ['@hono/node-server', { incoming, outgoing }, asking()],
    ['@whatwg-node/server', { req: incoming, res: outgoing }, asking()],
    ['srvx', undefined, asking({ runtime: { node: { req: incoming, res: outgoing } } })],
    ['an upgrade of @hono/node-server, without a response', { incoming }, asking()],
    ['an upgrade of @whatwg-node/server', { req: incoming, res: { headersSent: false } }, asking()],
  ])('is found as %s hands them out', async (_server, beside, request) => {
    expect(await isOurs(request, beside)).toBe(false);
  });

  test.each<[string, unknown, Request]>([
    ['an environment', { KV: {} }, asking()],
    ['something else of that name', { incoming: 7 }, asking()],
    ['a runtime that is not Node', undefined, asking({ runtime: { bun: {} } })],
  ])('is not there with %s', async (_what, beside, request) => {
    expect(await isOurs(request, beside)).toBe(true);
  });
});

test.each([
  [path, true],
  [`http://h${path}`, true],
  [`/x/..${path}`, false],
  [`http://h/x/..${path}`, false],
  // Mounted under a prefix: what the application has put in its place counts.
  [`/prefix${path}`, true],
  ['*', true],
  ['http://[', true],
])('what was sent as %s is ours %s', async (url, ours) => {
  const incoming = Object.assign(new EventEmitter(), { url, socket: new EventEmitter() });
  expect(await isOurs(asking(), { incoming })).toBe(ours);
});
