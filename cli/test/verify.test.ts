import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hosts } from '../../test/conformance/hosts/index.js';
import { checks } from 'lifesign';
import { onGet, onMethod, header } from './broken/mutation.js';
import { type Spoil, start } from './broken/service.js';
import { inProcess } from './run.js';
import { named, verifying } from './verifying.js';
import { chosen } from '../../test/whole.js';

const verify = (url: string, ...args: string[]) => verifying([url, ...args]);

test('a service that keeps the contract passes every rule', async () => {
  const service = await start();
  const { code, results, failed, skipped } = await verify(service.url, '--strict');
  await service.close();
  expect({ code, failed, skipped: named(skipped) }).toEqual({
    code: 0,
    failed: [],
    // There is one.
    skipped: ['version.not-found'],
  });
  expect(results.length).toBeGreaterThan(50);
});

test('a proxy that compresses names Accept-Encoding again, but not in the answer to HEAD', async () => {
  const service = await start((answer, { method }) => {
    if (method === 'GET') answer.headers['Vary'] = 'Accept-Encoding, Accept-Encoding';
  });
  const { failed } = await verify(service.url, '--strict');
  await service.close();
  expect(failed).toEqual([]);
});

describe('passes every framework of ours', () => {
  const pairs = hosts.map((host) => [host.name, host] as const);
  test.each(chosen(pairs, 'Express 5', 'Fastify 5'))('%s, healthy and failing', async (_, host) => {
    const healthy = await host.start({ versionCallback: () => ({ commit: 'abc' }) });
    expect((await verify(healthy.origin, '--strict')).failed).toEqual([]);
    await healthy.close();
    const failing = await host.start({
      checks: {
        storage: () => [new checks.Warning('slow', { id: 'a.W1' })],
        notes: async () => [new checks.Info('hello', { id: 'a.I1' })],
      },
    });
    expect((await verify(failing.origin, '--strict')).failed).toEqual([]);
    await failing.close();
  });
});

test('what the operator has chosen: --failed-status-code and --fail-level', async () => {
  const service = await start((answer, { method, path }) => {
    if (method !== 'GET' || !/^\/__heartbeat__\/?(?:\?|$)/.test(path)) return;
    const detail = { status: 'error', level: 40, messages: { 'a.E1': 'down' } };
    answer.status = 503;
    answer.body = JSON.stringify({ status: 'error', checks: { db: 'error' }, details: { db: detail } });
  });
  const args = ['--failed-status-code', '503'];
  // HEAD still gives 200 here: only that is left.
  const told = await verify(service.url, ...args);
  expect([named(told.failed), named(told.advised)]).toEqual([[], ['heartbeat.head']]);
  expect(named((await verify(service.url, ...args, '--fail-level', 'critical')).failed)).toEqual([
    'heartbeat.code',
  ]);
  await service.close();
});

test('a service that is not there: one line, at once', async () => {
  const { code, results } = await verify('http://127.0.0.1:1');
  expect(code).toBe(1);
  expect(results).toEqual([
    {
      name: 'reachable',
      demand: 'must',
      reference: 'contract.md#2-endpoints',
      docs: 'lifesign-cli explain reachable',
      outcome: 'failed',
      reason:
        'GET /__lbheartbeat__: the connection was refused, nothing is listening there (ECONNREFUSED 127.0.0.1:1)',
    },
  ]);
});

describe('must and should', () => {
  const uncached = onMethod('version', 'OPTIONS', (answer) => (answer.status = 200));

  test('a recommendation is shown and fails only with --strict', async () => {
    const service = await start(uncached);
    const usual = await verify(service.url);
    const strict = await verify(service.url, '--strict');
    const { stdout } = await inProcess(['verify', service.url]);
    const junit = await inProcess(['verify', service.url, '--junit', '-']);
    await service.close();
    expect([usual.code, named(usual.failed), named(usual.advised)]).toEqual([0, [], ['version.options']]);
    expect([strict.code, named(strict.failed), named(strict.advised)]).toEqual([1, ['version.options'], []]);
    expect(stdout).toMatch(
      /^ {2}! version\.options +OPTIONS: 200 instead of 204 \(lifesign-cli explain options\)$/m,
    );
    expect(junit.stdout).toContain('name="version.options"><system-out>recommended: OPTIONS: 200');
  });

  test('--skip and --only, by the name of a rule, of a kind and of an endpoint', async () => {
    const service = await start((answer, asked) => {
      for (const endpoint of ['version', 'heartbeat']) onGet(endpoint, header('Vary'))(answer, asked);
    });
    const failed = async (...args: string[]) => named((await verify(service.url, ...args)).failed);
    expect(await failed()).toEqual(['version.vary', 'heartbeat.vary']);
    expect(await failed('--skip', 'version.vary')).toEqual(['heartbeat.vary']);
    expect(await failed('--skip', 'vary')).toEqual([]);
    expect(await failed('--skip', 'heartbeat')).toEqual(['version.vary']);
    expect(await failed('--only', 'heartbeat.vary', '--only', 'json')).toEqual(['heartbeat.vary']);
    const only = await verify(service.url, '--only', 'json', '--only', 'lbheartbeat.vary');
    await service.close();
    expect(only.code).toBe(0);
    expect(named(only.results)).toEqual([
      'version.json',
      'heartbeat.json',
      'lbheartbeat.vary',
      'lbheartbeat.json',
    ]);
  });

  test('--profile python-dockerflow excuses its known ways, and nothing else', async () => {
    // As its Flask integration answers.
    const flask: Spoil = (answer, asked) => {
      delete answer.headers['Vary'];
      delete answer.headers['Cache-Control'];
      const [path = ''] = asked.path.split('?');
      const html = { 'Content-Type': 'text/html; charset=utf-8' };
      if (path.endsWith('__/')) Object.assign(answer, { status: 404, headers: html });
      if (asked.method === 'OPTIONS') answer.status = 200;
      if (path === '/__lbheartbeat__') Object.assign(answer, { body: '', headers: html });
      if (path === '/__heartbeat__' && /GET|HEAD/.test(asked.method)) {
        const checks = { db: 'warning', notes: 'info' };
        const db = { status: 'warning', level: 30, messages: { 'a.W1': 'slow' } };
        const notes = { status: 'info', level: 20, messages: { 'a.I1': 'hint' } };
        answer.body = JSON.stringify({ checks, details: { db, notes }, status: 'warning' });
      }
    };
    const service = await start(flask);
    const bare = await verify(service.url);
    const excused = await verify(service.url, '--strict', '--profile', 'python-dockerflow');
    await service.close();
    expect(bare.code).toBe(1);
    expect([excused.code, excused.failed]).toEqual([0, []]);
    const reason = excused.skipped.find(({ name }) => name === 'heartbeat.vary')?.reason;
    expect(reason).toBe(
      'known difference of python-dockerflow: vary is missing; it must name Accept-Encoding',
    );
    const broken = await start((answer, asked) => {
      flask(answer, asked);
      onGet('version', (wire) => (wire.body = 'null'))(answer, asked);
    });
    const found = await verify(broken.url, '--profile', 'python-dockerflow');
    await broken.close();
    expect(named(found.failed)).toEqual(['version.json']);
  });
});

test('a path before the endpoints, and the address of an endpoint', async () => {
  const service = await start((answer, { path }) => {
    if (path.startsWith('/api')) answer.status = 299;
  });
  expect((await verify(`${service.url}/__heartbeat__`)).code).toBe(0);
  expect((await verify(`${service.url}/`)).code).toBe(0);
  expect((await verify(`${service.url}/api/`)).failed[0]?.reason).toBe('299 instead of 200 or 404');
  await service.close();
});

describe('the table', () => {
  test('a reason and a reference for each failed line; colours on a terminal alone', async () => {
    const service = await start(onGet('version', header('Vary')));
    const { code, stdout } = await inProcess(['verify', service.url]);
    const terminal = await inProcess(['verify', service.url], { tty: true });
    const plain = await inProcess(['verify', service.url], { tty: true, env: { NO_COLOR: '1' } });
    await service.close();
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^ {2}✗ version\.vary +vary is missing; it must name Accept-Encoding \(lifesign-cli explain vary\)$/m,
    );
    expect(stdout).toMatch(/\n\n\d+ passed, 1 failed, 1 advised, 1 skipped\n$/);
    expect(stdout).not.toContain('\u001B');
    expect(terminal.stdout).toContain('\u001B[31m✗');
    expect(plain.stdout).not.toContain('\u001B');
  });

  test('94 requests, as the docs say, and progress on a terminal once they take longer than a second', async () => {
    let requests = 0;
    const service = await start((answer, { method }) => {
      requests += 1;
      if (method === 'GET') answer.delay = 60;
    });
    const { stderr } = await inProcess(['verify', service.url], { tty: true });
    expect(requests).toBe(94);
    const piped = await inProcess(['verify', service.url]);
    await service.close();
    expect(stderr).toMatch(/\d+\/91 GET \/__lbheartbeat__/);
    expect(stderr.endsWith('\r\u001B[K')).toBe(true);
    expect(piped.stderr).toBe('');
  });
});

test('a secret is found in every answer and named by its key; names of checks and random headers are none', async () => {
  const words = 'auth oauth jwt csrf_token password_service check_secret_key session_store api_key';
  const checks = Object.fromEntries(words.split(' ').map((name) => [name, 'ok']));
  const quiet = await start((answer, { path }) => {
    Object.assign(answer.headers, { ETag: '"c2VjcmV0LXRva2VuLTEyMzQ1Njc4"' });
    answer.headers['X-Request-Id'] = 'a94a8fe5-ccb1-9ba6-1c4c-0873d391e987';
    if (path === '/__heartbeat__') answer.body = JSON.stringify({ status: 'ok', checks, details: {} });
  });
  expect((await verify(quiet.url, '--only', 'secrets')).failed).toEqual([]);
  await quiet.close();
  const url = 'postgres://app:hunter2@db/app';
  const telling = await start((answer, { path }) => {
    const bodies: Record<string, object> = {
      '/__version__': { password: 'hunter2' },
      '/__heartbeat__': { checks: { db: url } },
      '/__lbheartbeat__': { details: { db: { messages: { 'db.E001': `cannot reach ${url}` } } } },
    };
    answer.body = JSON.stringify(bodies[path]);
  });
  const { failed } = await verify(telling.url, '--only', 'secrets');
  await telling.close();
  const keys = failed.map(({ reason }) => reason.split(' contains a secret (')[0]);
  expect(keys).toEqual(['password', 'checks.db', 'details.db.messages.db.E001']);
});

describe('clients of a platform', () => {
  type Headers = Readonly<Record<string, string | string[] | undefined>>;
  test.each<[string, (headers: Headers) => boolean]>([
    ['a browser', ({ accept }) => String(accept).startsWith('text/html')],
    ['a kubelet', (headers) => String(headers['user-agent']).startsWith('kube-probe/')],
    ['an address as Host', ({ host }) => String(host).startsWith('10.')],
  ])('%s that is refused', async (name, when) => {
    const service = await start((answer, { headers }) => {
      if (when(headers)) answer.status = 400;
    });
    const { advised } = await verify(service.url, '--only', 'heartbeat.clients');
    await service.close();
    expect(advised[0]?.reason).toBe(`with ${name}: 400 instead of 200`);
  });

  test('cookies for another site, only if it asks, and two Content-Types', async () => {
    const service = await start((answer, { headers, path }) => {
      if (headers.origin !== undefined) answer.headers['Access-Control-Allow-Credentials'] = 'true';
      if (path === '/__version__')
        Object.assign(answer.headers, { 'Content-Type': ['application/json', 'text/html'] });
    });
    const { failed, advised } = await verify(
      service.url,
      '--only',
      'stray-headers',
      '--only',
      'content-type',
    );
    await service.close();
    expect(named(failed)).toEqual(['version.content-type']);
    expect(failed[0]?.reason).toContain('"application/json, text/html"');
    expect(advised.map(({ reason }) => reason.split(':')[0])).toEqual(Array(3).fill('GET with an Origin'));
  });
});

test('a secret in a key, and one in an address inside of another address', async () => {
  const secret = 'postgres://app:hunter2@db/app';
  const service = await start((answer, { path }) => {
    const details = { db: { status: 'error', level: 40, messages: { [secret]: 'down' } } };
    if (path === '/__heartbeat__') answer.body = JSON.stringify({ status: 'error', details });
    if (path === '/__version__')
      answer.body = JSON.stringify({ source: `https://ci/?dsn=${encodeURIComponent(secret)}` });
  });
  const { failed } = await verify(service.url, '--only', 'secrets');
  await service.close();
  expect(failed.map(({ reason }) => reason.split(' (')[0])).toEqual([
    'source contains a secret',
    'a key in details.db.messages contains a secret',
  ]);
});

test('JUnit: a test case a rule, escaped, in a file and on standard output', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'lifesign-verify-'));
  const service = await start((answer, { path }) => {
    if (path === '/__version__') answer.headers['Vary'] = '<"&>';
  });
  const { stdout } = await inProcess(['verify', service.url, '--junit', '-']);
  await inProcess(['verify', service.url, '--junit', 'report.xml'], { cwd });
  await service.close();
  const file = readFileSync(join(cwd, 'report.xml'), 'utf8');
  rmSync(cwd, { recursive: true });
  expect(file).toBe(stdout);
  expect(stdout).toContain('<testcase classname="lifesign.version" name="version.status"/>');
  expect(stdout).toContain(
    '<failure message="vary is &quot;&lt;\\&quot;&amp;&gt;&quot;; it must name Accept-Encoding">',
  );
  expect(stdout).toMatch(
    /<testsuite name="lifesign-cli verify http:[^"]+" tests="\d+" failures="1" skipped="1">/,
  );
});

test.each([
  [[], 'A URL is missing'],
  [['localhost:8000'], 'The address is "localhost:8000"; it must be a URL such as http://localhost:8000'],
  [['http://a', 'http://b'], 'More than one URL was given'],
  [
    ['http://a', '--max-latency', 'soon'],
    '--max-latency is "soon"; it must be a time such as 500ms, 3s or 10m',
  ],
  [['http://a', '--fail-level', 'bad'], '--fail-level is "bad"; it must be one of debug, info'],
  [
    ['http://a', '--failed-status-code', '200'],
    '--failed-status-code is "200"; it must be an integer from 400 to 599',
  ],
  [['http://a', '--json', '--junit', '-'], '--json and --junit - both write to standard output'],
  [['http://a', '--skip', 'no.rule'], 'Unknown rule "no.rule"; lifesign-cli explain --list shows all rules'],
  [['http://a', '--profile', 'ruby'], 'Unknown profile "ruby"; known profiles: python-dockerflow'],
  [['http://a', '--nope'], "Unknown option '--nope'"],
  [['http://a', '--timeout', '3'], '--timeout is "3"; it must be a time such as 500ms'],
])('misuse: %j', async (args, sentence) => {
  const { code, stderr } = await inProcess(['verify', ...args]);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
});

test.each(['0.2s', '200ms'])('--timeout %s ends a request', async (time) => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stdout } = await inProcess(['verify', url, '--timeout', time]);
  server.close();
  server.closeAllConnections();
  expect(code).toBe(1);
  expect(stdout).toMatch(/within 200 ms/);
});
