import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Error as ErrorMessage, Warning } from 'lifesign/checks';
import { leave } from '../core/leave.js';
import { loop, type LoopBlock } from '../../src/core/loop.js';
import { watched, type Watched } from './watched.js';

vi.setConfig({ testTimeout: 60_000 });

let service: Watched | undefined;
const start = async (...args: Parameters<typeof watched>): Promise<Watched> => {
  service = await watched(...args);
  return service;
};
afterEach(async () => {
  vi.unstubAllEnvs();
  await service?.close();
  service = undefined;
});

const noBlock: LoopBlock = {
  since: 0,
  blockedFor: 0,
  culprit: undefined,
  stack: undefined,
  noStack: undefined,
  rid: undefined,
  method: undefined,
  path: undefined,
};
const broken = { db: [new ErrorMessage('No route to the database', { id: 'a.E1', hint: 'Call Ann' })] };

describe('where the page is', () => {
  test('nowhere by default: its paths are the application’s', async () => {
    const { origin } = await start([], { page: false });
    for (const path of ['/__health__', '/__health__.json']) {
      const answer = await fetch(origin + path);
      expect([path, answer.status, await answer.json()]).toEqual([path, 404, { application: 'not found' }]);
    }
  });

  test('at /__health__ and the paths beside it, with any query', async () => {
    const { page } = await start(['db']);
    const types: unknown[] = [];
    for (const rest of ['', '?x=1', '.json', '.json?x=1']) {
      const answer = await fetch(page + rest);
      types.push([rest, answer.status, answer.headers.get('content-type')]);
    }
    expect(types).toEqual([
      ['', 200, 'text/html; charset=utf-8'],
      ['?x=1', 200, 'text/html; charset=utf-8'],
      ['.json', 200, 'application/json'],
      ['.json?x=1', 200, 'application/json'],
    ]);
  });

  test.each([
    '/__health__x',
    '/__health__/x',
    '/__health__.jsonx',
    '/__health__//',
    '//__health__',
    '/__HEALTH__',
  ])('%s is the application’s', async (path) => {
    const { origin } = await start([]);
    const answer = await fetch(origin + path);
    expect(await answer.json()).toEqual({ application: 'not found' });
  });

  test('a slash at the end leads to the page, relative to where a proxy serves it', async () => {
    const { origin } = await start([], { page: { path: '/ops/health' } });
    const answer = await fetch(`${origin}/ops/health/`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '../health']);
    expect((await fetch(`${origin}/ops/health/`)).status).toBe(200);
  });

  test('wherever page.path or HEALTH_PAGE_PATH say', async () => {
    vi.stubEnv('HEALTH_PAGE', 'true');
    vi.stubEnv('HEALTH_PAGE_PATH', '/ops/status');
    const { origin } = await start([], { page: undefined as never });
    expect((await fetch(`${origin}/ops/status`)).status).toBe(200);
    expect((await fetch(`${origin}/ops/status.json`)).status).toBe(200);
    expect((await fetch(`${origin}/__health__`)).status).toBe(404);
  });

  test.each([
    '',
    '/',
    'health',
    '/a/',
    '/a?b',
    '/a b',
    '/../a',
    '/./a',
    '//a',
    '/__heartbeat__',
    '/__version__',
    '/ä',
  ])('page.path %j is refused', async (path) => {
    await expect(start([], { page: { path } })).rejects.toMatchObject({ code: 'LIFESIGN_OPTION_INVALID' });
  });

  test('HEAD has no body; other methods are refused', async () => {
    const { page } = await start(['db']);
    for (const rest of ['', '.json']) {
      const head = await fetch(page + rest, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      const post = await fetch(page + rest, { method: 'POST' });
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
  });
});

describe('what it sends', () => {
  test('a policy that runs its own script and style alone, and nothing from elsewhere', async () => {
    const { page } = await start(['db']);
    const answer = await fetch(page);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).toMatch(/script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}=';/);
    expect(policy).toContain("base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const html = await answer.text();
    expect(html).not.toMatch(/ on\w+=| style=|src=|url\(|@import/);
  });

  test('one document under 40 KB gzipped, with 200 failing checks too', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `check_number_${index}`);
    const { page, beat, say } = await start(names);
    await beat(60);
    say(
      Object.fromEntries(
        names.map((name, index) => [
          name,
          [new Warning(`It is slow by ${index * 7919} ms`, { id: `a.W${index}` })],
        ]),
      ),
    );
    await beat(5);
    const html = await (await fetch(page)).text();
    expect(html.match(/<tbody/g)).toHaveLength(200);
    expect(gzipSync(html).length).toBeLessThan(40 * 1024);
  });

  test('JSON with all of it', async () => {
    const { page, beat, say } = await start(['db', 'disk'], {}, { version: '1', commit: 'abc' });
    await beat(3);
    say(broken);
    await beat();
    const data: unknown = await (await fetch(`${page}.json`)).json();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(data).toEqual({
      status: 'error',
      level: 40,
      failed: true,
      since: time,
      heartbeat: time,
      stale: false,
      draining: false,
      now: time,
      version: { version: '1', commit: 'abc' },
      process: { instance: expect.any(String), pid: process.pid, runtime: expect.any(String), started: time },
      checks: [
        {
          name: 'db',
          status: 'error',
          level: 40,
          failed: true,
          since: time,
          messages: [
            { id: 'a.E1', status: 'error', level: 40, text: 'No route to the database', hint: 'Call Ann' },
          ],
          duration: expect.any(Number),
          p50: expect.any(Number),
          p99: expect.any(Number),
          results: [0, 0, 0, 40],
        },
        expect.objectContaining({ name: 'disk', status: 'ok', messages: [], results: [0, 0, 0, 0] }),
      ],
      transitions: [
        {
          beat: 4,
          at: time,
          from: 'ok',
          to: 'error',
          changes: [expect.objectContaining({ name: 'db', from: 'ok', to: 'error' })],
          report: expect.stringContaining('"a.E1":"No route to the database"'),
        },
        { beat: 1, at: time, from: null, to: 'ok', changes: [], report: null },
      ],
    });
  });

  test('before the first heartbeat: that there was none, and no check is run for it', async () => {
    const { page, runs } = await start(['db']);
    expect(await (await fetch(`${page}.json`)).json()).toMatchObject({
      status: null,
      failed: null,
      checks: [],
    });
    expect(await (await fetch(page)).text()).toContain('no heartbeat yet');
    expect(runs()).toBe(0);
  });

  test.each(['/__health__', '/ops/health', '/a/b/c'])(
    'before the first heartbeat: a link to it, from %s',
    async (path) => {
      const { page, origin, runs } = await start(['db'], { page: { path } });
      const link = /<a href="([^"]*)"[^>]*>Run the first heartbeat</.exec(
        await (await fetch(page)).text(),
      )?.[1];
      expect(link).not.toMatch(/^\//);
      expect(new URL(link ?? '', page).href).toBe(`${origin}/__heartbeat__`);
      await fetch(new URL(link ?? '', page));
      expect(runs()).toBe(1);
      expect(await (await fetch(page)).text()).not.toContain('Run the first heartbeat');
    },
  );

  test('a recovery: what it was, for an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const { page, beat, say } = await start(['db']);
      say(broken);
      await beat();
      vi.advanceTimersByTime(120_000);
      say({});
      await beat();
      expect(await (await fetch(page)).text()).toMatch(/before that <b>error<\/b> for 2 min/);
      vi.advanceTimersByTime(3_700_000);
      await beat();
      expect(await (await fetch(page)).text()).not.toContain('before that');
    } finally {
      vi.useRealTimers();
    }
  });

  test('the latest twelve changes, also those of a check while the whole stays as it was', async () => {
    let staff = true;
    const { page, beat, say } = await start(['db', 'disk'], { details: () => staff });
    const full = [new Warning('Nearly full', { id: 'a.W1' })];
    say(broken);
    await beat();
    for (let times = 0; times < 7; times += 1) {
      say({ ...broken, disk: full });
      await beat();
      say(broken);
      await beat();
    }
    const html = await (await fetch(page)).text();
    expect(html.match(/<li id="change-/g)).toHaveLength(12);
    expect(html).toContain('3 more in the JSON.');
    expect(html.match(/<p>still <span class="pill error"/g)).toHaveLength(12);
    staff = false;
    // To strangers nothing has happened since the first heartbeat.
    const { transitions } = JSON.parse(await (await fetch(`${page}.json`)).text());
    expect(transitions).toEqual([
      { beat: expect.any(Number), at: expect.any(String), from: null, to: 'error' },
    ]);
  });

  test('what a check says and what to do about it, the worst first, twenty messages at most', async () => {
    const { page, beat, say } = await start(['db']);
    const slow = Array.from({ length: 22 }, (_, index) => new Warning(`slow ${index}`, { id: 'a.W1' }));
    say({ db: [...slow, ...broken.db] });
    await beat();
    const html = await (await fetch(page)).text();
    const list = /<ul class="messages">([^]*?)<\/ul>/.exec(html)?.[1] ?? '';
    expect(list).toMatch(
      /^<li class="error">[^]*No route to the database[^]*<b>What to do<\/b> <bdi>Call Ann</,
    );
    expect(list.match(/slow \d+/g)).toHaveLength(19);
    expect(list).toContain('<li>and 3 more messages</li>');
  });

  test('the block of the event loop that a watchdog saw last', async () => {
    const { page, beat } = await start(['db']);
    await beat();
    expect(await (await fetch(page)).text()).not.toContain('parseCsv');
    const before = { ...loop };
    onTestFinished(() => {
      delete loop.last;
      Object.assign(loop, before);
    });
    const block = { ...noBlock, since: Date.now() - 9000, blockedFor: 5000 };
    loop.last = { ...block, culprit: 'parseCsv (report.js:12)', stack: 'handle <app.js:3>' };
    await beat();
    const row = await (await fetch(page)).text();
    expect(row).toMatch(/event loop: blocked 5\.0 s, .* ago<bdi>, in parseCsv \(report\.js:12\)</);
    expect(row).toMatch(/<summary>Stack<\/summary>[^]*handle &lt;app\.js:3&gt;/);
    const data = (await (await fetch(`${page}.json`)).json()) as { eventLoop: object };
    expect(data.eventLoop).toEqual({
      since: new Date(block.since).toISOString(),
      blockedFor: 5000,
      culprit: 'parseCsv (report.js:12)',
      stack: 'handle <app.js:3>',
    });
    loop.last = { ...block, noStack: 'native code' };
    await beat();
    const why = await (await fetch(page)).text();
    expect(why).toMatch(/ago<bdi> \(native code\)</);
    expect(why).not.toContain('<summary>Stack');
  });

  test('that it is out of date when no heartbeat comes', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    try {
      const { page, beat } = await start([]);
      const stale = async () => ((await (await fetch(`${page}.json`)).json()) as { stale: boolean }).stale;
      await beat();
      vi.advanceTimersByTime(59_000);
      expect(await stale()).toBe(false);
      vi.advanceTimersByTime(2000);
      expect(await stale()).toBe(true);
      expect(await (await fetch(page)).text()).toContain('<span id="beat" class="stale">');
      // Three times the usual pause, where that is longer: here 61 s and then 100 s.
      await beat();
      vi.advanceTimersByTime(100_000);
      expect(await stale()).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  test('that it is draining', async () => {
    const { page, health } = await start([]);
    leave(health, false);
    expect(await (await fetch(page)).text()).toContain('shutting down');
    expect(await (await fetch(`${page}.json`)).json()).toMatchObject({ draining: true });
  });

  test('that a version.json is broken, and an answer where the version cannot be had', async () => {
    const { page, health } = await start([]);
    health.versionCallback(() => {
      throw new Error('secret path');
    });
    const html = await (await fetch(page)).text();
    expect(html).toContain('the version callback failed');
    expect(html).not.toContain('secret');
  });

  test('links for http and https alone, without passwords', async () => {
    const { page } = await start(
      [],
      {},
      {
        commit: '9f8b2c1d7e6a5b4c',
        source: 'https://ann:hunter2@git.example/acme/shop.git',
        build: 'javascript:alert(1)',
        other: 'data:text/html,x',
      },
    );
    const html = await (await fetch(page)).text();
    const links = Array.from(html.matchAll(/<a href="([^"]*)"/g), ([, href]) => href);
    expect(links).toEqual([
      '__heartbeat__',
      'https://git.example/acme/shop/commit/9f8b2c1d7e6a5b4c',
      'https://git.example/acme/shop.git',
      '__health__.json',
    ]);
    expect(html).not.toContain('hunter2');
  });
});

describe('who may see what', () => {
  test.each([false, () => false])('without details: the status, no check, no process', async (details) => {
    const { page, beat, say } = await start(['hidden_database'], { details });
    await beat();
    say({ hidden_database: broken.db });
    await beat();
    const html = await (await fetch(page)).text();
    const json = await (await fetch(`${page}.json`)).text();
    for (const text of [html, json]) {
      expect(text).toContain('error');
      for (const hidden of ['hidden_database', 'No route', 'a.E1', 'Call Ann', '"pid"', '>pid<'])
        expect(text).not.toContain(hidden);
    }
    const { transitions } = JSON.parse(json);
    expect(transitions).toEqual([
      { beat: expect.any(Number), at: expect.any(String), from: 'ok', to: 'error' },
      { beat: expect.any(Number), at: expect.any(String), from: null, to: 'ok' },
    ]);
  });

  test('a predicate is asked for each request', async () => {
    const { page, beat, say } = await start(['db'], {
      details: ((request: { headers: Record<string, unknown> }) =>
        request.headers['x-staff'] === 'yes') as never,
    });
    await beat();
    expect(await (await fetch(page)).text()).toContain('All is well');
    say(broken);
    await beat();
    expect(await (await fetch(page)).text()).toContain('Details are hidden from you');
    expect(await (await fetch(`${page}.json`)).json()).not.toHaveProperty('checks');
    const staff = await fetch(`${page}.json`, { headers: { 'X-Staff': 'yes' } });
    expect(await staff.json()).toHaveProperty('checks');
  });

  test('publicMessages: false shows ids and no texts', async () => {
    const { page, beat, say } = await start(['db'], { publicMessages: false });
    say(broken);
    await beat();
    for (const rest of ['', '.json']) {
      const text = await (await fetch(page + rest)).text();
      expect(text).toContain('a.E1');
      expect(text).not.toMatch(/No route|Call Ann/);
    }
  });
});
