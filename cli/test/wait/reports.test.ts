import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/http/exchange.js';
import { type Condition, conditionsOf, type Wanted } from '../../src/wait/conditions.js';
import { placesOf } from '../../src/wait/places.js';
import { json, markdown, shortTime, stateLine, summary } from '../../src/wait/reports.js';
import { Target } from '../../src/wait/target.js';

const nothing: Wanted = { commit: undefined, version: undefined, healthy: false };
const answer = (body: unknown, more: Partial<Exchange> = {}): Exchange => ({
  status: 200,
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  ms: 1,
  ...more,
});

describe('what an answer leaves missing', () => {
  const commit = '4ba5f2e0123456789';
  test.each<[wanted: Partial<Wanted>, given: Exchange, found: object]>([
    [{}, answer(''), { missing: undefined }],
    [{}, answer('', { status: 503 }), { missing: 'lbheartbeat 503' }],
    [{}, answer('', { status: 0, failure: 'ECONNREFUSED' }), { missing: 'no answer: ECONNREFUSED' }],
    [
      {},
      answer('', { status: 302, headers: { location: '/login' } }),
      { missing: 'lbheartbeat 302, which redirects to /login' },
    ],
    [{ commit }, answer('<html>'), { missing: 'version 200 without a JSON object' }],
    [{ commit }, answer({}, { status: 404 }), { missing: 'version 404' }],
    [{ commit }, answer({ commit }), { build: commit, missing: undefined }],
    [{ commit }, answer({ commit: '4BA5F2E' }), { build: '4BA5F2E', missing: undefined }],
    [{ commit }, answer({ commit: '4ba5f2' }), { build: '4ba5f2', missing: 'still runs 4ba5f2' }],
    [{ commit: '4ba5' }, answer({ commit }), { build: commit, missing: undefined }],
    [{ commit }, answer({ version: '1.0.0' }), { build: '1.0.0', missing: 'version has no commit' }],
    [
      { commit },
      answer({ commit: '' }),
      { build: 'a build without a commit', missing: 'version has no commit' },
    ],
    [
      { commit },
      answer({ commit: 7 }),
      { build: 'a build without a commit', missing: 'version has no commit' },
    ],
    [{ version: '1.0.0' }, answer({ version: '1.0.0' }), { build: '1.0.0', missing: undefined }],
    [
      { version: '1.0.0' },
      answer({ version: '1.0.1' }),
      { build: '1.0.1', missing: 'still runs version 1.0.1' },
    ],
    [{ version: '1.0.0' }, answer({ commit }), { build: commit, missing: 'version has no version' }],
    [
      { commit, version: '2' },
      answer({ commit, version: '1' }),
      { build: commit, missing: 'still runs version 1' },
    ],
    [{ healthy: true }, answer({ status: 'ok' }), { missing: undefined }],
    [{ healthy: true }, answer('ok'), { missing: 'heartbeat 200 without a JSON object' }],
    [
      { healthy: true },
      answer({ checks: { db: 'error', disk: 'ok' } }, { status: 500 }),
      { missing: 'heartbeat 500: db' },
    ],
    [{ healthy: true }, answer({ checks: {} }, { status: 500 }), { missing: 'heartbeat 500' }],
    [{ healthy: true }, answer('gone', { status: 502 }), { missing: 'heartbeat 502' }],
  ])('%j', (wanted, given, found) => {
    const [condition] = conditionsOf({ ...nothing, ...wanted });
    expect(condition?.judge(given)).toEqual(found);
  });

  test('what is asked for', () => {
    const paths = (wanted: Partial<Wanted>) =>
      conditionsOf({ ...nothing, ...wanted }).map(({ path }) => path);
    expect(paths({})).toEqual(['/__lbheartbeat__']);
    expect(paths({ version: '1' })).toEqual(['/__version__']);
    expect(paths({ commit: 'a', healthy: true })).toEqual(['/__version__', '/__heartbeat__']);
  });
});

test.each([
  [0, '0ms'],
  [999, '999ms'],
  [1000, '1s'],
  [59_400, '59s'],
  [60_000, '1m'],
  [125_000, '2m 5s'],
  [3_600_000, '1h'],
  [3_780_000, '1h 3m'],
])('%i ms as %s', (ms, text) => {
  expect(shortTime(ms)).toBe(text);
});

const condition: Condition = { path: '/', judge: () => ({ missing: undefined }) };
function target(name: string, ...answers: [missing: string | undefined, build?: string][]): Target {
  const made = new Target(name, [condition]);
  for (const [missing, build] of answers) {
    made.take(condition, { missing, ...(build !== undefined && { build }) }, 0);
  }
  return made;
}

test('the line while it waits: who is not there yet, and how many more', () => {
  const good = target('a', [undefined]);
  const bad = (name: string) => target(name, ['heartbeat 500']);
  expect(stateLine([good], 5000, 10_000)).toBe('1 of 1, must hold for 10s');
  expect(stateLine([good, bad('b')], 5000, 10_000)).toBe('1 of 2: b heartbeat 500');
  // Good answers that have not lasted are not counted.
  expect(stateLine([good], 1000, 10_000)).toBe('0 of 1: a ok, but not for long enough yet');
  const many = Array.from({ length: 7 }, (_, index) => bad(`s${index}`));
  expect(stateLine(many, 0, 0)).toMatch(/^0 of 7: s0 .*; s4 heartbeat 500; and 2 more$/);
});

test('the end: what was last seen, with every build that answered', () => {
  const io = {
    stdout: { write: () => {} },
    stderr: { write: () => {} },
    stdin: (async function* () {})(),
    env: {},
    cwd: '/',
  };
  const targets = [
    target('http://a', [undefined, 'new']),
    target('http://b|c', ['heartbeat 500', 'old'], ['heartbeat 500', 'old'], ['heartbeat 503', 'new']),
  ];
  const outcome = { took: 65_000, wanted: 'run new', holdFor: 0, targets };
  expect(summary({ ...outcome, done: true }, io)).toBe('done after 1m 5s: 2 of 2 run new\n');
  const second = 'heartbeat 503; old answered 2 times, new answered 1 time';
  expect(summary({ ...outcome, done: false }, io)).toBe(
    `timed out after 1m 5s: 1 of 2 run new\n\n  ✓ http://a  ok\n  ✗ http://b|c  ${second}\n`,
  );
  expect(summary({ ...outcome, done: false, holdFor: 1e9 }, io)).toMatch(
    / 0 of 2 run new for 277h 46m\n\n {2}✗ http:\/\/a {2}ok, but not for long enough yet\n/,
  );
  expect(markdown({ ...outcome, done: false })).toContain('| http://b\\|c | ❌ heartbeat 503; old answered');
  expect(JSON.parse(json({ ...outcome, done: false }))).toEqual({
    done: false,
    took: 65_000,
    services: [
      { url: 'http://a', ok: true, missing: [], answers: 1, builds: { new: 1 } },
      { url: 'http://b|c', ok: false, missing: ['heartbeat 503'], answers: 3, builds: { old: 2, new: 1 } },
    ],
  });
});

describe('where the services are', () => {
  const io = (env: Record<string, string>) => ({
    stdout: { write: () => {} },
    stderr: { write: () => {} },
    stdin: (async function* () {})(),
    env,
    cwd: '/',
  });
  const options = { headers: {}, insecure: false, allAddresses: true };

  test('an address is one place, and so is a name that nobody knows', async () => {
    const places = placesOf(['http://127.0.0.1:1', 'http://[::1]:1', 'http://no.invalid'], options, io({}));
    expect((await places()).map(({ name }) => name)).toEqual([
      'http://127.0.0.1:1',
      'http://[::1]:1',
      'http://no.invalid',
    ]);
  });

  test('every address of a name, past a proxy only where that is allowed', async () => {
    const proxy = { http_proxy: 'http://proxy:3128' };
    expect(() => placesOf(['http://localhost:1'], options, io(proxy))).toThrow(/add its host to NO_PROXY/);
    const places = placesOf(['http://localhost:1'], options, io({ ...proxy, no_proxy: 'localhost' }));
    const found = await places();
    expect(found.map(({ service }) => `http://localhost:1 (${service.address})`)).toEqual(
      found.map(({ name }) => name),
    );
    expect(found.length).toBeGreaterThan(0);
  });

  test('twice the same', () => {
    const urls = ['http://a', 'http://a/'];
    expect(() => placesOf(urls, { ...options, allAddresses: false }, io({}))).toThrow(
      'The same URL was given twice',
    );
  });
});
