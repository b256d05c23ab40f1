import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { requestCount } from '../../src/cli/verify/evidence.js';
import type { Result } from '../../src/cli/verify/rule.js';
import { hosts } from '../conformance/hosts/index.js';
import { checks } from '../../src/index.js';
import { defects } from './broken/defects.js';
import { start } from './broken/service.js';
import { inProcess } from './run.js';

async function verify(url: string, ...args: string[]) {
  const { code, stdout } = await inProcess([
    'verify',
    url,
    '--json',
    '--max-latency',
    '20s',
    '--timeout',
    '30s',
    ...args,
  ]);
  const run: { passed: number; failed: number; skipped: number; results: Result[] } = JSON.parse(stdout);
  const of = (outcome: string) => run.results.filter((result) => result.outcome === outcome);
  return { code, run, failed: of('failed'), skipped: of('skipped') };
}

const named = (results: readonly Result[]) => results.map(({ name }) => name);

test('a service that keeps the contract passes every rule', async () => {
  const service = await start();
  const { code, run, failed, skipped } = await verify(service.url);
  await service.close();
  expect({ code, failed, skipped }).toEqual({ code: 0, failed: [], skipped: [] });
  expect(run.passed).toBe(run.results.length);
  expect(run.results.length).toBeGreaterThan(50);
});

test('makes 40 requests, as the docs and the progress say', async () => {
  let requests = 0;
  const service = await start(() => {
    requests += 1;
  });
  await verify(service.url);
  await service.close();
  expect(requests).toBe(40);
  expect(requestCount + 1).toBe(40);
});

describe('finds each planted defect, and nothing else', () => {
  test.concurrent.each(Object.entries(defects))('%s', async (_, { finds, spoil, args = [] }) => {
    const service = await start(spoil);
    const { code, failed } = await verify(service.url, ...args);
    await service.close();
    expect(named(failed).toSorted()).toEqual([...finds].toSorted());
    expect(code).toBe(1);
    for (const { reason, reference } of failed) {
      expect(reason).not.toBe('');
      expect(reference).toMatch(/^(SPEC \d|contract\.md: |cli\.md: )/);
    }
  });
});

test('every rule is broken by one of the defects', async () => {
  const service = await start();
  const { run } = await verify(service.url);
  await service.close();
  const broken = new Set(Object.values(defects).flatMap(({ finds }) => finds));
  // A rule of all three endpoints is one rule.
  const kinds = new Set([...broken].map((name) => name.split('.')[1]));
  const unproven = run.results.filter(({ name }) => name !== 'reachable' && !kinds.has(name.split('.')[1]));
  expect(unproven).toEqual([]);
});

describe('passes every framework of ours', () => {
  test.each(hosts.map((host) => [host.name, host] as const))('%s, healthy and failing', async (_, host) => {
    const healthy = await host.start({ versionCallback: () => ({ commit: 'abc' }) });
    expect((await verify(healthy.origin)).failed).toEqual([]);
    await healthy.close();
    const failing = await host.start({
      checks: {
        storage: () => [new checks.Warning('slow', { id: 'a.W1' })],
        notes: async () => [new checks.Info('hello', { id: 'a.I1' })],
      },
    });
    expect((await verify(failing.origin)).failed).toEqual([]);
    await failing.close();
  });
});

test('what the operator has chosen: --failed-status-code and --fail-level', async () => {
  const service = await start((answer, { method, path }) => {
    if (method !== 'GET' || !path.startsWith('/__heartbeat__') || path === '/__heartbeat__x') return;
    const detail = { status: 'error', level: 40, messages: { 'a.E1': 'down' } };
    answer.status = 503;
    answer.body = JSON.stringify({ status: 'error', checks: { db: 'error' }, details: { db: detail } });
  });
  const args = ['--failed-status-code', '503'];
  // HEAD still gives 200 here: only that is left.
  expect(named((await verify(service.url, ...args)).failed)).toEqual(['heartbeat.head']);
  expect(named((await verify(service.url, ...args, '--fail-level', 'critical')).failed)).toEqual([
    'heartbeat.head',
    'heartbeat.code',
  ]);
  await service.close();
});

test('a service that is not there: one line, at once', async () => {
  const { code, run } = await verify('http://127.0.0.1:1');
  expect(code).toBe(1);
  expect(run.results).toEqual([
    {
      name: 'reachable',
      reference: 'SPEC 4',
      outcome: 'failed',
      reason: 'GET /__lbheartbeat__: connect ECONNREFUSED 127.0.0.1:1',
    },
  ]);
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
    const service = await start(defects['no Vary']?.spoil);
    const { code, stdout } = await inProcess(['verify', service.url]);
    const terminal = await inProcess(['verify', service.url], { tty: true });
    const plain = await inProcess(['verify', service.url], { tty: true, env: { NO_COLOR: '1' } });
    await service.close();
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^ {2}✗ version\.vary +vary is missing; it must name Accept-Encoding \(SPEC 4\)$/m,
    );
    expect(stdout).toMatch(/\n\n\d+ passed, 1 failed\n$/);
    expect(stdout).not.toContain('\u001B');
    expect(terminal.stdout).toContain('\u001B[31m✗');
    expect(plain.stdout).not.toContain('\u001B');
  });

  test('progress is shown on a terminal once it takes longer than a second, and wiped away', async () => {
    const service = await start((answer, { method }) => {
      if (method === 'GET') answer.delay = 60;
    });
    const { stderr } = await inProcess(['verify', service.url], { tty: true });
    const piped = await inProcess(['verify', service.url]);
    await service.close();
    expect(stderr).toMatch(/\d+\/\d+ GET \/__lbheartbeat__/);
    expect(stderr.endsWith('\r\u001B[K')).toBe(true);
    expect(piped.stderr).toBe('');
  });
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
    /<testsuite name="lifesign verify http:[^"]+" tests="\d+" failures="1" skipped="0">/,
  );
});

test.each([
  [[], 'A URL is missing'],
  [['localhost:8000'], 'The address is "localhost:8000"; it must be a URL such as http://localhost:8000'],
  [['http://a', 'http://b'], 'More than one URL was given'],
  [
    ['http://a', '--max-latency', 'soon'],
    '--max-latency is "soon"; it must be a time such as 500ms, 3s, 3 (seconds) or 10m',
  ],
  [['http://a', '--fail-level', 'bad'], '--fail-level is "bad"; it must be one of debug, info'],
  [
    ['http://a', '--failed-status-code', '200'],
    '--failed-status-code is "200"; it must be an integer from 400 to 599',
  ],
  [['http://a', '--json', '--junit', '-'], '--json and --junit - both want standard output'],
  [['http://a', '--nope'], "Unknown option '--nope'"],
])('misuse: %j', async (args, sentence) => {
  const { code, stderr } = await inProcess(['verify', ...args]);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
});

test.each(['0.2', '0.2s', '200ms'])('--timeout %s: a number without a unit is seconds', async (time) => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stdout } = await inProcess(['verify', url, '--timeout', time]);
  server.close();
  server.closeAllConnections();
  expect(code).toBe(1);
  expect(stdout).toMatch(/within 200 ms/);
});
