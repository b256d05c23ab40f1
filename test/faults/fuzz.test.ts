import { once } from 'node:events';
import { connect } from 'node:net';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningHost } from '../conformance/host.js';
import { hosts } from '../conformance/hosts/index.js';
import { chosen } from '../whole.js';
import { codePoint } from '../core/code-point.js';

/** Sends bytes as they are; what came back until the server closed or the answer was whole. */
async function send(port: number, bytes: string | Uint8Array): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  // The server may refuse in the middle of what we send.
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(bytes);
  socket.setTimeout(3000, () => socket.destroy());
  await once(socket, 'close');
  return answer;
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
const head = 'Host: x\r\nConnection: close\r\n';
const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\n${head}${more}\r\n`;

/** What is sent, and the statuses that are a clear answer to it; 0 is a connection that is closed without one. */
const cases: readonly (readonly [string, string, readonly number[]])[] = [
  ['headers of 70 KB', get('/__heartbeat__', `X-Long: ${'x'.repeat(70_000)}\r\n`), [431]],
  ['3,000 headers', get('/__heartbeat__', 'a: b\r\n'.repeat(3000)), [200, 431]],
  ['a query of 10 KB', get(`/__heartbeat__?${'x'.repeat(10_000)}`), [200]],
  ['a method that is not ours', `PROPFIND /__heartbeat__ HTTP/1.1\r\n${head}\r\n`, [405]],
  ['TRACE', `TRACE /__lbheartbeat__ HTTP/1.1\r\n${head}\r\n`, [405]],
  ['a method that is no method', `FNORD /__heartbeat__ HTTP/1.1\r\n${head}\r\n`, [400, 405]],
  ['a method of strange bytes', `G\u0000T /__heartbeat__ HTTP/1.1\r\n${head}\r\n`, [400]],
  ['CONNECT', `CONNECT /__heartbeat__ HTTP/1.1\r\n${head}\r\n`, [0, 400, 404, 405]],
  ['an encoded path', get('/%5F_heartbeat__'), [404]],
  ['a double-encoded path', get('/%255F_heartbeat__'), [404]],
  ['an encoded NUL', get('/__heartbeat__%00'), [404, 400]],
  ['a NUL', get('/__heartbeat__\u0000'), [400]],
  ['a malformed escape', get('/__heartbeat__%'), [404, 400]],
  ['a path that climbs', get('/../__heartbeat__/../../etc/passwd'), [404, 400, 403]],
  ['two slashes', get('//__heartbeat__'), [404, 400]],
  ['a backslash', get('/__heartbeat__\\'), [404, 400]],
  ['an absolute target', get('http://evil.example/__heartbeat__'), [200, 404, 400]],
  ['a target that is no path', get('*'), [200, 404, 400]],
  ['bytes above ASCII', get('/__heartbeat__\u00ff\u00fe'), [404, 400]],
  ['a body with GET', `GET /__heartbeat__ HTTP/1.1\r\n${head}Content-Length: 4\r\n\r\nbody`, [200]],
  [
    'two lengths',
    `GET /__heartbeat__ HTTP/1.1\r\n${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    [400],
  ],
  ['no Host', 'GET /__heartbeat__ HTTP/1.1\r\nConnection: close\r\n\r\n', [400]],
  // What turns requests into URLs needs a host.
  ['HTTP/1.0', 'GET /__heartbeat__ HTTP/1.0\r\n\r\n', [200, 400]],
  ['a version that does not exist', 'GET /__heartbeat__ HTTP/9.9\r\n\r\n', [400, 505]],
  ['an expectation', get('/__heartbeat__', 'Expect: 100-continue\r\n'), [100, 200]],
  ['an upgrade', get('/__heartbeat__', 'Upgrade: websocket\r\n'), [200]],
  ['a request id of 10 KB', get('/__heartbeat__', `X-Request-Id: ${'x'.repeat(10_000)}\r\n`), [200]],
  ['a header that is a prototype', get('/__heartbeat__', '__proto__: x\r\nconstructor: y\r\n'), [200]],
  ['nothing but line feeds', '\r\n\r\n\r\n\r\nx', [0, 400]],
];

// HTTP/2 is tested behind a proxy of the suite's own, which would be what is tested here.
const bare = chosen(
  hosts.filter(({ name }) => !name.includes('http2')),
  'Express 5',
  'Fastify 5',
  'Koa 3',
  'Hono',
  'fetch, handler wrapped',
  'node:http, server attached',
);

describe.each(bare.map((host) => [host.name, host] as const))('%s', (_, host) => {
  let app: RunningHost;
  beforeAll(async () => {
    app = await host.start({});
  });
  afterAll(() => app.close());

  it.each(cases)('%s: a clear answer, and the process lives', async (_title, bytes, statuses) => {
    const answer = await send(app.port, bytes);
    expect(statuses).toContain(statusOf(answer));
    expect(answer).not.toMatch(/node_modules|at .*\.[jt]s:\d/);
    expect((await fetch(`${app.origin}/__lbheartbeat__`)).status).toBe(200);
  });

  it('any bytes at all: no answer of ours is a crash', async () => {
    const part = fc.string({ unit: codePoint, maxLength: 30 });
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.tuple(part, part).map(([target, header]) => Buffer.from(get(`/__${target}`, `${header}\r\n`))),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (bytes) => {
        const socket = connect(app.port, '127.0.0.1');
        socket.on('error', () => {});
        socket.resume();
        await once(socket, 'connect');
        socket.end(Buffer.concat([bytes, Buffer.from('\r\n\r\n')]));
        await once(socket, 'close');
      }),
      { numRuns: 30 },
    );
    expect((await fetch(`${app.origin}/__heartbeat__`)).status).toBe(200);
  });
});
