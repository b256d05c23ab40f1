import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { countsOf, type Fleet, type Finding, type Instance, type Service } from '../../src/fleet/fleet.js';
import { live } from '../../src/fleet/live.js';
import { sectionOf } from '../../src/fleet/page-service.js';
import { prometheusAt } from '../../src/fleet/prometheus.js';
import { questionsFor } from '../../src/fleet/questions.js';
import { table } from '../../src/fleet/table.js';
import { Watch } from '../../src/fleet/watch.js';
import { buildName, lastPassed, remark, rolloutOf, statusWord } from '../../src/fleet/words.js';
import type { Io, Output } from '../../../src/command/io.js';
import { inProcess } from '../run.js';
import { answering, fakePrometheus, pointsOf } from './fake.js';
import { shop } from './fleets.js';

const now = 1_800_000_000_000;
const instance = (more: Partial<Instance> = {}): Instance => ({
  name: 'a:1',
  state: 'ok',
  status: 'ok',
  draining: false,
  build: { version: '1', commit: 'c' },
  since: now - 60_000,
  seen: now,
  findings: [],
  ...more,
});
const finding = (more: Partial<Finding> = {}): Finding => ({
  check: 'db',
  status: 'error',
  ids: ['E1'],
  passed: now - 5000,
  ...more,
});
const service = (instances: readonly Instance[], more: Partial<Service> = {}): Service => ({
  name: 'shop',
  counts: countsOf(instances),
  builds: [],
  rollout: undefined,
  instances,
  ...more,
});
const fleet = (...services: readonly Service[]): Fleet => ({
  at: now,
  counts: countsOf(services.flatMap(({ instances }) => instances)),
  warnings: [],
  services,
});
const io = (stdout: Partial<Output> = {}): Io => ({
  stdout: { write: () => {}, ...stdout },
  stderr: { write: () => {} },
  stdin: (async function* () {})(),
  env: { NO_COLOR: '1' },
  cwd: '/',
});

describe('in words', () => {
  test.each<[more: Partial<Instance>, word: string]>([
    [{}, 'ok'],
    [{ status: 'warning' }, 'warning'],
    [{ status: undefined }, 'ok'],
    [{ state: 'failing', status: 'critical' }, 'critical'],
    [{ state: 'failing', status: undefined }, 'failing'],
    [{ state: 'failing', status: 'error', draining: true }, 'error, draining'],
    [{ state: 'draining', draining: true }, 'draining'],
    [{ state: 'down', status: 'ok' }, 'down'],
  ])('%j is %s', (more, word) => {
    expect(statusWord(instance(more))).toBe(word);
  });

  test.each<[more: Partial<Instance>, text: string | undefined]>([
    [{}, undefined],
    [{ state: 'unknown' }, 'no heartbeat yet'],
    [{ state: 'gone', seen: now - 60_000 }, 'no longer scraped, last seen 1 min ago'],
    [{ state: 'gone', seen: undefined }, 'no longer scraped'],
    [{ state: 'down', seen: undefined }, 'cannot be scraped'],
    [{ state: 'down', seen: undefined, build: undefined }, 'cannot be scraped, never seen'],
  ])('of %j is said %s', (more, text) => {
    expect(remark(instance(more), now)).toBe(text);
  });

  test.each<[of: Partial<Finding>, state: Instance['state'], text: string | undefined]>([
    [{}, 'failing', 'last passed 5 s ago'],
    [{ passed: undefined }, 'failing', 'never passed'],
    [{ status: 'info' }, 'failing', undefined],
    [{ status: 'debug' }, 'failing', undefined],
    [{}, 'ok', undefined],
  ])('a check %j of an instance that is %s', (of, state, text) => {
    expect(lastPassed(finding(of), instance({ state }), now)).toBe(text);
  });

  test('a build without a name, a rollout whose order nobody knows', () => {
    expect(
      [undefined, { version: '', commit: '' }, { version: '1', commit: undefined }].map(buildName),
    ).toEqual(['unknown build', 'unknown build', '1']);
    const builds = ['1', '2'].map((version) => ({ version, commit: '', instances: 1, since: undefined }));
    expect(rolloutOf(service([], { builds }))).toBe('2 builds');
    expect(rolloutOf(service([], { builds: builds.slice(1) }))).toBeUndefined();
    expect(rolloutOf(service([], { builds, rollout: { done: 1, total: 3 } }))).toBe(
      'rollout 1 of 3 (33 %) on 1',
    );
  });
});

describe('on a terminal', () => {
  const many = Array.from({ length: 8 }, (_, index) => finding({ check: `check_${index}` }));
  const lines = (shown: Fleet, maxRows = 3, stdout: Partial<Output> = {}) =>
    table({ fleet: shown, address: 'http://p', maxRows }, io(stdout));

  test('of many checks and instances some, and how many more', () => {
    const failing = instance({ state: 'failing', status: 'error', findings: many });
    const oks = Array.from({ length: 4 }, (_, index) => instance({ name: `b:${index}` }));
    const shown = lines(fleet(service([failing, ...oks])));
    expect(shown.filter((line) => line.includes('check_'))).toHaveLength(5);
    expect(shown).toContainEqual(expect.stringMatching(/^ +and 3 more checks$/));
    expect(shown.at(-1)).not.toContain('check_5');
    expect(shown).toContain('  and 2 more, all ok: --all lists them');
    const sick = lines(fleet(service([...oks, failing])));
    expect(sick).toContain('  and 2 more: --all lists them');
  });

  test('an age, and why', () => {
    const [, second] = table(
      { fleet: fleet(), address: 'x', maxRows: 1, problem: 'answered 503', age: 65_000 },
      io(),
    );
    expect(second).toBe('stale, 1 min old: answered 503');
  });

  test.each([
    [undefined, 80],
    [60, 60],
    [10, 40],
  ])('no line is wider than %s columns', (columns, width) => {
    const wide = instance({ name: 'n'.repeat(48), build: { version: 'v'.repeat(40), commit: '' } });
    const shown = lines(fleet(service([wide], { name: 's'.repeat(200) })), 3, {
      isTTY: true,
      ...(columns !== undefined && { columns }),
    });
    expect(Math.max(...shown.map((line) => line.length))).toBe(width);
  });
});

describe('on the page', () => {
  const section = (of: Service) => String(sectionOf(of, now, { service: undefined, still: false }));

  test('of many builds, checks and instances some, and how many more', () => {
    const builds = Array.from({ length: 12 }, (_, index) => ({
      version: `v${index}`,
      commit: '',
      instances: 1,
      since: undefined,
    }));
    expect(section(service([], { builds }))).toContain('<li>and 2 more</li>');
    const findings = Array.from({ length: 11 }, (_, index) => finding({ check: `check_${index}` }));
    expect(section(service([instance({ state: 'failing', findings })]))).toContain(
      '<li>and 1 more check</li>',
    );
    const instances = Array.from({ length: 502 }, (_, index) => instance({ name: `n${index}` }));
    expect(section(service(instances))).toContain('and 2 more: the JSON has them all');
    expect(section(service(instances.slice(2)))).not.toContain('more: the JSON');
  });

  test('what is not known is not shown', () => {
    const unknown = instance({ state: 'failing', status: undefined, since: undefined });
    const shown = section(service([unknown]));
    expect(shown).toContain('<tbody class="failing error">');
    expect(shown).toContain('<td></td>');
  });
});

describe('live', () => {
  /** The view over a Prometheus of the test, and what it draws; ended as Ctrl-C does. */
  async function watching(first: Parameters<typeof fakePrometheus>[0]) {
    const fake = await fakePrometheus(first);
    const prometheus = prometheusAt(fake.url, { headers: [], timeout: 5000, insecure: false, env: {} });
    const watch = new Watch(prometheus, questionsFor([], 3_600_000), 'job');
    let drawn = '';
    const before = process.listeners('SIGINT');
    const ended = live(watch, io({ write: (text: string) => (drawn += text) }), 5, 10);
    const interrupt = process.listeners('SIGINT').find((listener) => !before.includes(listener));
    onTestFinished(() => interrupt?.('SIGINT'));
    return { fake, ended, drawn: () => drawn, interrupt: () => interrupt?.('SIGINT') };
  }

  test('draws nothing before the first answer, then 23 rows where the terminal has no size, and cleans up', async () => {
    const counts = () =>
      ['SIGINT', 'SIGTERM', 'SIGTSTP', 'SIGCONT', 'exit'].map((name) => process.listenerCount(name));
    const before = counts();
    let allowed = false;
    const { ended, drawn, interrupt } = await watching((req, res, question) => {
      if (allowed) answering(pointsOf(shop))(req, res, question);
      else res.writeHead(503).end();
    });
    expect(drawn()).toBe('\u001B[?1049h\u001B[?25l');
    allowed = true;
    await vi.waitFor(() => expect(drawn()).toContain('1 failing'), 20_000);
    const [, frame = ''] = drawn().split('\u001B[H');
    expect(frame.split('\n').length).toBeLessThanOrEqual(24);
    interrupt();
    await ended;
    expect(drawn().endsWith('\u001B[?25h\u001B[?1049l')).toBe(true);
    expect(counts()).toEqual(before);
  });

  test('ends while Prometheus hangs', async () => {
    let asked = 0;
    const { ended, interrupt } = await watching(() => (asked += 1));
    await vi.waitFor(() => expect(asked).toBeGreaterThan(0), 20_000);
    interrupt();
    await ended;
  });
});

describe('the command', () => {
  test('on a terminal that is dumb it looks once', async () => {
    const fake = await fakePrometheus(answering(pointsOf(shop)));
    const { code, stdout } = await inProcess(['fleet', '--prometheus', fake.url], {
      tty: true,
      env: { TERM: 'dumb' },
    });
    expect([code, stdout]).toEqual([1, expect.stringContaining('2 services')]);
    expect(stdout).not.toContain('\u001B');
  });

  test.each([
    [['--serve', '--json'], '--serve and --json cannot be combined'],
    [['--serve', '--once'], '--serve and --once cannot be combined'],
    [['--once', '--serve'], '--serve and --once cannot be combined'],
    [['--serve=http'], '--serve is "http"; it must be'],
  ])('%j', async (args, message) => {
    const { code, stderr } = await inProcess(['fleet', '--prometheus', 'http://127.0.0.1:1', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
