import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, inject, onTestFinished, test } from 'vitest';
import { prometheusAt } from '../../src/fleet/prometheus.js';
import { questionsFor } from '../../src/fleet/questions.js';
import { answersOf } from '../../src/fleet/serve.js';
import { Watch } from '../../src/fleet/watch.js';
import { inProcess } from '../run.js';
import { serving } from '../serving.js';
import { answering, fakePrometheus, type Handler, pointsOf } from './fake.js';
import { shop, thousand } from './fleets.js';

/** What answers requests, over a Prometheus that does as `handler` says. */
async function over(handler: Handler, every = 0) {
  const fake = await fakePrometheus(handler);
  const prometheus = prometheusAt(fake.url, { headers: [], timeout: 5000, insecure: false, env: {} });
  const answer = answersOf(new Watch(prometheus, questionsFor([], 3_600_000), 'job'), every);
  const get = (url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    answer({ method, url, headers } as unknown as IncomingMessage);
  return { fake, get };
}

test('the page and its JSON; nothing else', async () => {
  const { get } = await over(answering(pointsOf(shop)));
  const page = await get('/');
  expect(page.status).toBe(200);
  expect(page.headers).toMatchObject({
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': expect.stringMatching(
      /^default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-[\w+/=]+'; img-src data:$/,
    ),
    'X-Content-Type-Options': 'nosniff',
    Refresh: '1',
  });
  expect(page.body.match(/<summary>Explain [^<]*/g)).toEqual(['<summary>Explain health.E001']);
  const data = await get('/fleet.json');
  expect(data.headers['Content-Type']).toBe('application/json');
  expect(JSON.parse(data.body).counts).toMatchObject({ down: 1, failing: 1, draining: 1, gone: 1, ok: 2 });
  expect((await get('/other')).status).toBe(404);
  expect((await get('/', {}, 'POST')).status).toBe(405);
  expect(await get('/', {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
});

test('one service only, and a page that stands still', async () => {
  const { get } = await over(answering(pointsOf(shop)));
  const one = await get('/?service=mail&still');
  expect(one.headers['Refresh']).toBeUndefined();
  expect(one.body).toContain('10.0.1.1:8000');
  expect(one.body).not.toContain('10.0.0.3:8000');
  // A name that nothing has shows all.
  expect((await get('/?service=%3Cscript%3E')).body).toContain('10.0.0.3:8000');
});

test('gzip for those who take it', async () => {
  const { get } = await over(answering(pointsOf(thousand())));
  const plain = await get('/?still');
  const packed = await get('/?still', { 'accept-encoding': 'br, gzip' });
  expect(gunzipSync(packed.bytes ?? new Uint8Array()).toString()).toBe(plain.body);
  expect(packed.bytes?.length).toBeLessThan(plain.body.length / 5);
});

test('however many look at once, and again within --every, Prometheus is asked once', async () => {
  const { fake, get } = await over(answering(pointsOf(shop)), 60_000);
  await Promise.all(Array.from({ length: 50 }, (_, index) => get(index % 2 === 0 ? '/' : '/fleet.json')));
  await get('/');
  expect(fake.queries).toHaveLength(6);
});

test('nobody who looks, no query', async () => {
  const { fake } = await over(answering(pointsOf(shop)), 1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(fake.queries).toEqual([]);
});

test('a Prometheus that is gone: the last good view, marked as old, and back again', async () => {
  const well = answering(pointsOf(shop));
  const down: Handler = (_req, res) => res.writeHead(503).end();
  const { fake, get } = await over(down);
  const before = await get('/');
  expect(before.status).toBe(503);
  expect(before.body).toContain('no data');
  expect(before.body).toContain('answered 503.');
  expect(await get('/fleet.json')).toMatchObject({
    status: 503,
    body: expect.stringContaining('answered 503.'),
  });

  fake.handler = well;
  expect((await get('/')).body).not.toContain('class="stale"');
  fake.handler = down;
  const old = await get('/');
  expect(old.status).toBe(200);
  expect(old.body).toContain('class="stale"');
  expect(old.body).toContain('answered 503.');
  expect(old.body).toContain('10.0.0.3:8000');
  expect(JSON.parse((await get('/fleet.json')).body)).toMatchObject({
    problem: expect.stringContaining('503'),
  });
  fake.handler = well;
  expect((await get('/')).body).not.toContain('class="stale"');
});

test('the command serves it, with the three endpoints of its own, until SIGTERM', async () => {
  const fake = await fakePrometheus(answering(pointsOf(shop)));
  const bin = join(inject('builtCli'), 'dist/bin.js');
  const server = await serving([process.execPath, bin, 'fleet', '--prometheus', fake.url], {
    where: ['--serve', '0'],
  });
  expect(await (await fetch(server.origin)).text()).toContain('health.E001');
  expect((await fetch(`${server.origin}/__lbheartbeat__`)).status).toBe(200);
  expect((await fetch(`${server.origin}/nothing`)).status).toBe(404);
  expect(await server.stop('SIGTERM')).toBe(0);
});

/** The status of a request as it is written here. */
async function statusOf(port: number, lines: readonly string[]): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => (received += String(bytes)));
  socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1]);
}

test('the running command answers no foreign host', async () => {
  const fake = await fakePrometheus(answering(pointsOf(shop)));
  const bin = join(inject('builtCli'), 'dist/bin.js');
  const where = ['--serve', '0', '--allow-host', 'fleet.example.org'];
  const server = await serving([process.execPath, bin, 'fleet', '--prometheus', fake.url], { where });
  const port = Number(new URL(server.origin).port);
  const statuses: Record<number, readonly string[]> = {
    200: [
      '127.0.0.1',
      `127.0.0.1:${port}`,
      '[::1]',
      `[::1]:${port}`,
      '[2001:DB8::1]:80',
      'localhost',
      `LocalHost:${port}`,
      'localhost.',
      'fleet.localhost:1',
      'fleet.example.org',
      'FLEET.example.org.:443',
    ],
    421: [
      'evil.example',
      `evil.example:${port}`,
      'EVIL.EXAMPLE',
      'localhost.evil.example',
      '127.0.0.1.evil.example:80',
      'evil-localhost',
      'fleet.example.org.evil.example',
      'xfleet.example.org',
    ],
  };
  for (const [status, hosts] of Object.entries(statuses)) {
    for (const host of hosts) {
      for (const path of ['/', '/fleet.json', '/?service=mail']) {
        expect([host, await statusOf(port, [`GET ${path} HTTP/1.1`, `Host: ${host}`])]).toEqual([
          host,
          Number(status),
        ]);
      }
      // The host stands in the address as well, whatever the header says.
      const absolute = `GET http://${host}/fleet.json HTTP/1.1`;
      expect([absolute, await statusOf(port, [absolute, `Host: ${host}`])]).toEqual([
        absolute,
        Number(status),
      ]);
      expect([absolute, await statusOf(port, [absolute, 'Host: localhost'])]).toEqual([
        absolute,
        Number(status),
      ]);
      const local = `GET http://localhost:${port}/fleet.json HTTP/1.1`;
      expect([host, await statusOf(port, [local, `Host: ${host}`])]).toEqual([host, Number(status)]);
    }
  }
  expect(await statusOf(port, ['GET /fleet.json HTTP/1.0'])).toBe(200);
  expect(await server.stop('SIGTERM')).toBe(0);
});

test('a port that is taken', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const args = ['fleet', '--prometheus', 'http://localhost:9', '--serve', String(port)];
  const { code, stderr } = await inProcess(args);
  expect(code).toBe(2);
  expect(stderr).toContain(`Cannot listen on 127.0.0.1:${port}`);
});
