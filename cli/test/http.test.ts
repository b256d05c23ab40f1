import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { ask, type Service } from '../src/http/exchange.js';
import { askHead } from '../src/http/head.js';
import { portOf, proxyFor } from '../src/http/proxy.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A service that writes these bytes to everyone who asks, and then ends or not. */
const writing = (text: string, { ends = true } = {}) =>
  listening(
    createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => (ends ? socket.end(text, 'latin1') : socket.write(text, 'latin1')));
      closers.push(() => socket.destroy());
    }),
  );

const service = (port: number, more: Partial<Service> = {}): Service => ({
  base: `http://127.0.0.1:${port}`,
  timeout: 5000,
  insecure: false,
  until: Infinity,
  ...more,
});

describe('HEAD', () => {
  const head = 'HTTP/1.1 200 OK\r\nVary: Accept-Encoding\r\nno colon\r\nX-A:  b \r\n\r\n';
  test.each<[what: string, sent: string, expected: object]>([
    [
      'an answer',
      head,
      { status: 200, headers: { vary: 'Accept-Encoding', 'x-a': 'b' }, body: Buffer.alloc(0) },
    ],
    ['a body that must not be there', `${head}body`, { status: 200, body: Buffer.from('body') }],
    [
      'interim answers',
      `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.0 404 Not Found\r\n\r\n`,
      { status: 404, headers: {} },
    ],
    [
      'an interim answer and no more',
      'HTTP/1.1 100 Continue\r\n\r\n',
      { status: 0, failure: 'no HTTP response' },
    ],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n\r\n', { status: 0, failure: 'no HTTP response' }],
    ['half a head', 'HTTP/1.1 200 OK\r\nVary:', { status: 0, failure: 'no HTTP response' }],
    ['nothing', '', { status: 0, failure: 'no HTTP response' }],
    ['more than a head may have', `${head}${'x'.repeat(20_000)}`, { status: 200 }],
  ])('%s', async (_what, sent, expected) => {
    expect(await askHead(service(await writing(sent)), '/')).toMatchObject(expected);
  });

  test('of a connection that stays open what came until the end of the time counts', async () => {
    const open = { timeout: 300 };
    const answered = await askHead(service(await writing(head, { ends: false }), open), '/');
    expect(answered).toMatchObject({ status: 200, headers: { 'x-a': 'b' } });
    const silent = await askHead(service(await writing('', { ends: false }), open), '/');
    expect(silent).toMatchObject({ status: 0, failure: 'no answer within 300 ms' });
  });

  test('a service that floods is left after its head', async () => {
    const flood = `${head}${'x'.repeat(60_000)}`;
    const { body } = await askHead(service(await writing(flood, { ends: false })), '/');
    expect(body.length).toBeGreaterThan(0);
  });

  test('a service without TLS that is asked with it', async () => {
    const port = await writing(head);
    const { status, failure } = await askHead({ ...service(port), base: `https://localhost:${port}` }, '/');
    expect([status, failure]).toEqual([
      0,
      expect.stringMatching(/^the server does not speak TLS on that port, /),
    ]);
  });
});

test.each([
  ['127.0.0.1', /^the connection was refused, nothing is listening there \(ECONNREFUSED 127\.0\.0\.1:1\)$/],
  [
    'nosuch.invalid',
    /^the host name (does not exist|cannot be looked up now) \((ENOTFOUND|EAI_AGAIN) nosuch\.invalid\)$/,
  ],
])('%s does not answer: a sentence for GET, HEAD and the tunnel of a proxy', async (host, sentence) => {
  const there = { ...service(1), base: `https://${host}:1` };
  expect((await ask(there, 'GET', '/')).failure).toMatch(sentence);
  expect((await askHead(there, '/')).failure).toMatch(sentence);
  const proxied = { ...service(1, { proxy: new URL(`http://${host}:1`) }), base: 'https://a.example' };
  const [, said] = /^the proxy: (.*)/.exec((await ask(proxied, 'GET', '/')).failure ?? '') ?? [];
  expect(said).toMatch(sentence);
});

test('nothing is asked when the time for all is over', async () => {
  const port = await writing('HTTP/1.1 200 OK\r\n\r\n');
  expect(await ask(service(port, { until: performance.now() }), 'GET', '/')).toEqual({
    status: 0,
    headers: {},
    body: Buffer.alloc(0),
    ms: 0,
    failure: 'not requested: the total time limit was reached',
  });
});

describe('through a proxy', () => {
  test.each<[url: string, env: Record<string, string>, proxy: string | undefined]>([
    ['http://a.example', {}, undefined],
    ['http://a.example', { http_proxy: '', HTTP_PROXY: 'proxy:3128' }, 'http://proxy:3128/'],
    ['http://a.example', { https_proxy: 'http://proxy' }, undefined],
    ['https://a.example', { ALL_PROXY: 'https://proxy:8443' }, 'https://proxy:8443/'],
    ['http://a.example', { http_proxy: 'http://p', no_proxy: '*' }, undefined],
    ['http://a.example', { http_proxy: 'http://p', NO_PROXY: 'b.example, .example' }, undefined],
    ['http://a.example', { http_proxy: 'http://p', NO_PROXY: '.b.example ,' }, 'http://p/'],
    ['http://a.example', { http_proxy: 'http://p', NO_PROXY: 'a.example:80' }, undefined],
    ['http://a.example', { http_proxy: 'http://p', NO_PROXY: 'a.example:443' }, 'http://p/'],
    ['https://a.example', { https_proxy: 'http://p', NO_PROXY: 'a.example:443' }, undefined],
    ['http://[::1]:8000', { http_proxy: 'http://p', NO_PROXY: '[::1]:8000' }, undefined],
    ['http://xa.example', { http_proxy: 'http://p', NO_PROXY: 'a.example' }, 'http://p/'],
  ])('%s with %j', (url, env, proxy) => {
    expect(proxyFor(new URL(url), env)?.href).toBe(proxy);
  });

  test.each(['socks5://proxy:1080', 'http://user:secret@'])(
    '%s is none, and its password is not told',
    (value) => {
      const wrong = () => proxyFor(new URL('http://a.example'), { http_proxy: value });
      expect(wrong).toThrow(/http_proxy/);
      expect(wrong).not.toThrow(/secret/);
    },
  );

  test('a proxy that refuses is told, with its status', async () => {
    const port = await listening(
      createHttp().on('connect', (_request, socket) => socket.end('HTTP/1.1 407 No\r\n\r\n')),
    );
    const proxy = new URL(`http://127.0.0.1:${port}`);
    const refused = await ask({ ...service(1, { proxy }), base: 'https://a.example' }, 'GET', '/');
    expect(refused).toMatchObject({ status: 0, failure: 'the proxy answered 407' });
    const secret = new URL(`https://127.0.0.1:${port}`);
    const spoken = await ask({ ...service(1, { proxy: secret }), base: 'https://a.example' }, 'GET', '/');
    expect(spoken.failure).toMatch(/^the proxy: the server does not speak TLS on that port, /);
  });

  test.each([
    ['http://a', '80'],
    ['https://a', '443'],
    ['https://a:80', '80'],
  ])('the port of %s', (url, port) => {
    expect(portOf(new URL(url))).toBe(port);
  });
});
