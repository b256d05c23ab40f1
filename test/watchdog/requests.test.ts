import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { connect, createServer as createStreamServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Health } from 'lifesign/node';
import { Requests, requestsIn } from '../../src/watchdog/requests.js';
import { until } from '../core/waiting.js';

const as = (text: string) => text;
const started = channel('http.server.request.start');
const finished = channel('http.server.response.finish');

it('names the latest requests whose response is not finished, in any order of both', () => {
  const step = fc.record({ finish: fc.boolean(), pick: fc.nat(), query: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const requests = new Requests();
      const open: { path: string; response: object }[] = [];
      steps.forEach(({ finish, pick, query }, at) => {
        if (finish && open.length > 0) {
          const [ended] = open.splice(pick % open.length, 1);
          finished.publish({ response: ended?.response });
          return;
        }
        const response = {};
        open.push({ path: `/r${at}`, response });
        started.publish({ request: { method: 'GET', url: `/r${at}${query ? '?token=1' : ''}` }, response });
      });
      const said = requestsIn(requests.memory, as) ?? '';
      const latest = open.slice(-16).toReversed();
      const shown = said
        .replace(/ and \d+ more$/, '')
        .split(', ')
        .filter(Boolean);
      // Of those before the last sixteen, places are taken by later ones.
      expect(shown).toEqual(latest.slice(0, shown.length).map(({ path }) => `GET ${path}`));
      if (open.length > 0) expect(shown.length).toBeGreaterThan(0);
      expect(said === '').toBe(shown.length === 0);
      requests.release();
    }),
  );
});

it('takes anything that is published under these names, and nothing after it is released', () => {
  const requests = new Requests();
  fc.assert(
    fc.property(fc.anything(), (message) => {
      started.publish(message);
      finished.publish(message);
    }),
  );
  started.publish({ request: { method: 'GET', url: `/${'ü'.repeat(1000)}` }, response: {} });
  expect(requestsIn(requests.memory, as)).toMatch(/^GET \/ü{240,}$/);
  requests.release();
  const before = requestsIn(requests.memory, as);
  started.publish({ request: { method: 'GET', url: '/later' }, response: {} });
  expect(requestsIn(requests.memory, as)).toBe(before);
});

it('forgets a request whose client has left', async () => {
  const requests = new Requests();
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const request = get({ port, host: '127.0.0.1', path: '/left' }).on('error', () => {});
  await until(() => requestsIn(requests.memory, as) === 'GET /left');
  request.destroy();
  await until(() => {
    requests.sweep();
    return requestsIn(requests.memory, as) === undefined;
  });
  requests.release();
  server.close();
});

it('names requests of HTTP/2 until their responses are over, or their clients have left', async () => {
  const requests = new Requests();
  const waiting: (() => void)[] = [];
  const server = createStreamServer((_req, res) => void waiting.push(() => res.end()));
  const health = new Health(server, { logger: false });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const send = (path: string) =>
    client
      .request({ ':path': path, ':method': 'POST' })
      .resume()
      .on('error', () => {});
  const named = () => requestsIn(requests.memory, as);
  const first = send('/first?token=1');
  await until(() => named() === 'POST /first');
  const second = send('/second');
  await until(() => named() === 'POST /second, POST /first');
  waiting[1]?.();
  await until(() => named() === 'POST /first');
  second.close();
  first.destroy();
  await until(() => {
    requests.sweep();
    return named() === undefined;
  });
  requests.release();
  send('/later');
  await until(() => waiting.length === 3);
  expect(named()).toBeUndefined();
  client.destroy();
  health.close();
  server.close();
});
