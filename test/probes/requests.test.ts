import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createHttp2, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { Health } from 'lifesign/node';
import { abandonedFor } from '../../src/probes/limits.js';
import { RunningRequests } from '../../src/probes/requests.js';

const opened: { close(): unknown }[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

/** A server whose requests are answered by hand, and what counts them; time can be moved on. */
async function counting(watches = true) {
  let ahead = 0;
  const now = () => performance.now() + ahead;
  const requests = new RunningRequests({ now });
  if (watches) requests.watch();
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => void responses.push(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(requests, { close: () => (server.closeAllConnections(), server.close()) });
  const { port } = server.address() as AddressInfo;
  const send = async () => {
    const before = responses.length;
    const request = get({ port, host: '127.0.0.1', agent: false }, (response: IncomingMessage) =>
      response.resume(),
    );
    request.on('error', () => {});
    await expect.poll(() => responses.length).toBe(before + 1);
    return { request, response: responses[before] as ServerResponse };
  };
  return { requests, send, now, wait: (ms: number) => (ahead += ms) };
}

it('a request over HTTP/2 counts as well', async () => {
  const requests = new RunningRequests(performance);
  requests.watch();
  const responses: Http2ServerResponse[] = [];
  const server = createHttp2((_request, response) => void responses.push(response));
  const health = new Health(server, { logger: false, summary: false });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  opened.push(requests, health, server, session);
  const stream = session.request({ ':path': '/hold' });
  stream.on('error', () => {});
  stream.end();
  await expect.poll(() => responses.length).toBe(1);
  expect(requests.mayRun(performance.now())).toBe(true);
  responses[0]?.end('done');
  expect(requests.mayRun(performance.now())).toBe(false);
  const left = session.request({ ':path': '/hold' });
  left.on('error', () => {});
  left.end();
  await expect.poll(() => responses.length).toBe(2);
  left.close(8);
  await expect.poll(() => responses[1]?.stream.destroyed).toBe(true);
  // The handler of a client that has left still runs.
  expect(requests.mayRun(performance.now())).toBe(true);
});

it('a request may run until its answer is ended, and later ones than asked for do not count', async () => {
  const { requests, send, now } = await counting();
  const start = now();
  expect(requests.mayRun(Infinity)).toBe(false);
  const { response } = await send();
  expect(requests.mayRun(start)).toBe(false);
  expect(requests.mayRun(now())).toBe(true);
  response.end('done');
  await expect.poll(() => requests.mayRun(now())).toBe(false);
});

it('a client that leaves does not end its handler: it may hold a connection until the answer is ended, or for five minutes', async () => {
  const { requests, send, now, wait } = await counting();
  const [first, second] = [await send(), await send()];
  for (const { request, response } of [first, second]) {
    request.destroy();
    await expect.poll(() => response.destroyed).toBe(true);
  }
  expect(requests.mayRun(now())).toBe(true);
  first.response.end('too late');
  second.response.end('too late');
  expect(requests.mayRun(now())).toBe(false);
  const { request, response } = await send();
  request.destroy();
  await expect.poll(() => response.destroyed).toBe(true);
  const lentAt = now();
  wait(abandonedFor - 1000);
  expect(requests.mayRun(lentAt)).toBe(true);
  wait(2000);
  expect(requests.mayRun(lentAt)).toBe(false);
  // It may have waited for so long for a connection that it has just been lent.
  expect(requests.mayRun(now())).toBe(true);
});

it('one that is open for longer counts as long as it is open', async () => {
  const { requests, send, now, wait } = await counting();
  await send();
  const lentAt = now();
  wait(abandonedFor * 10);
  expect(requests.mayRun(lentAt)).toBe(true);
});

it('where requests cannot be seen, one may run', async () => {
  const { requests, now } = await counting(false);
  expect(requests.mayRun(now())).toBe(true);
});
