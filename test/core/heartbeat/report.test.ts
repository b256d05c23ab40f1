import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checks, levels, statusOf } from 'lifesign';
import { Info, Warning } from 'lifesign/checks';
import { makeHealth } from '../make-health.js';
import { codePoint } from '../code-point.js';

const kinds = [checks.Debug, checks.Info, checks.Warning, checks.Error, checks.Critical];
const message = fc
  .tuple(
    fc.constantFrom(...kinds),
    fc.string({ unit: codePoint }),
    fc.string({ unit: codePoint, minLength: 1 }),
  )
  .map(([Kind, text, id]) => new Kind(text, { id }));
const name = fc.oneof(
  fc.string({ unit: codePoint, minLength: 1 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', '1', '0'),
);
const heartbeats = fc.uniqueArray(fc.tuple(name, fc.array(message, { maxLength: 5 }), fc.boolean()), {
  selector: ([key]) => key,
  maxLength: 8,
});

it('whatever the checks say, the report is JSON of the right shape and loses nothing', async () => {
  await fc.assert(
    fc.asyncProperty(heartbeats, async (list) => {
      const { health, ask } = makeHealth();
      for (const [key, messages, later] of list) {
        health.check(key, later ? async () => messages : () => messages);
      }
      const { status, headers, body } = await ask();
      const report = JSON.parse(body);
      expect(Object.keys(report)).toEqual(['status', 'checks', 'details']);

      const worst = (messages: readonly { level: number }[]) =>
        Math.max(0, ...messages.map(({ level }) => level));
      const overall = worst(list.flatMap(([, messages]) => messages));
      expect(levels[report.status as keyof typeof levels] ?? 0).toBe(overall);
      expect(status).toBe(overall >= 30 ? 500 : 200);
      expect(headers['Content-Length']).toBe(String(Buffer.byteLength(body)));

      expect(new Set(Object.keys(report.checks))).toEqual(new Set(list.map(([key]) => key)));
      const listed = list.filter(([, messages]) => messages.length > 0);
      expect(Object.keys(report.details).length).toBe(listed.length);
      for (const [key, messages] of listed) {
        const detail = Object.getOwnPropertyDescriptor(report.details, key)?.value;
        expect(detail.level).toBe(worst(messages));
        expect(detail.status).toBe(statusOf(detail.level));
        expect(Object.getOwnPropertyDescriptor(report.checks, key)?.value).toBe(detail.status);
        expect(Object.values(detail.messages).toSorted()).toEqual(
          messages.map(({ text }) => text).toSorted(),
        );
      }
    }),
    { numRuns: 300 },
  );
});

it('an id that looks like the second use of another is kept apart from it', async () => {
  const { health, report } = makeHealth();
  health.check('odd', () => ['a', 'a#2', 'a'].map((id, index) => new Info(String(index), { id })));
  expect((await report()).body.details.odd.messages).toEqual({ a: '0', 'a#2': '1', 'a#3': '2' });
});

it('a check that is added after a heartbeat, and one that changes its mind, are in the next report', async () => {
  const { health, report } = makeHealth();
  let bad = false;
  health.check('moody', () => (bad ? [new Warning('low', { id: 'acme.W001' })] : []));
  const good = { status: 200, body: { status: 'ok', checks: { moody: 'ok' }, details: {} } };
  expect(await report()).toEqual(good);
  bad = true;
  expect(await report()).toMatchObject({ status: 500, body: { status: 'warning' } });
  bad = false;
  expect(await report()).toEqual(good);
  health.check('second', () => []);
  expect((await report()).body.checks).toEqual({ moody: 'ok', second: 'ok' });
});

it('requests that share a failing heartbeat share its answer; the details stay hidden from others', async () => {
  const { health, ask } = makeHealth({ coalesce: true, details: (request) => request === 'operator' });
  let runs = 0;
  health.check('failing', async () => {
    runs += 1;
    await Promise.resolve();
    return [new Warning(`run ${runs}`, { id: 'acme.W001' })];
  });
  const asking = ['operator', 'operator', 'stranger'].map((who) => ask('/__heartbeat__', who));
  const [first, second, stranger] = await Promise.all(asking);
  expect(runs).toBe(1);
  expect(first?.body).toContain('run 1');
  expect(second?.body).toBe(first?.body);
  expect(stranger?.body).toBe('{"status":"warning"}');
  expect((await ask('/__heartbeat__', 'operator')).body).toContain('run 2');
});

describe('the option details', () => {
  const shown = '{"status":"ok","checks":{"quiet":"ok"},"details":{}}';
  const hidden = '{"status":"ok"}';
  const promised = 'The details option returned a promise instead of true or false; details are hidden';
  const threw = 'The details option threw; details are hidden';
  const throwing = () => {
    throw new Error('no session');
  };
  const rejecting = () => Promise.reject(new Error('late'));

  it.each<[string, unknown, readonly string[], readonly string[]]>([
    ['true', true, [shown, shown], []],
    ['false', false, [hidden, hidden], []],
    ['a function that lets some in', (who: unknown) => who === 'operator', [shown, hidden], []],
    ['a function that throws, which is told each time', throwing, [hidden, hidden], [threw, threw]],
    ['an async one, which is told once', async () => true, [hidden, hidden], [promised]],
    ['one that rejects', rejecting, [hidden, hidden], [promised]],
    ['one that gives a text', () => 'yes', [hidden, hidden], []],
    ['one that gives a number', () => 1, [hidden, hidden], []],
    ['one that gives an object', () => ({}), [hidden, hidden], []],
  ])('as %s', async (_what, details, bodies, told) => {
    const { health, ask, records } = makeHealth({ details: details as boolean });
    health.check('quiet', () => []);
    // In turns: what was answered to one is not kept for the other.
    const answers = [];
    for (const who of ['operator', 'stranger']) answers.push((await ask('/__heartbeat__', who)).body);
    expect(answers).toEqual(bodies);
    expect(records.map(({ msg }) => msg)).toEqual(told);
  });
});

it('publicMessages: false keeps every text out of the body and in the log', async () => {
  const { health, records, report } = makeHealth({ publicMessages: false });
  health.check('db', () => {
    throw new Error('relation "salaries" does not exist at 10.1.2.3');
  });
  health.check('own', () => [new Info('all of it is private', { id: 'a.I' })]);
  expect((await report()).body).toEqual({
    status: 'error',
    checks: { db: 'error', own: 'info' },
    details: {
      db: { status: 'error', level: 40, messages: { 'health.E011': 'see the log' } },
      own: { status: 'info', level: 20, messages: { 'a.I': 'see the log' } },
    },
  });
  expect(records.map(({ msg }) => msg)).toEqual([
    'health.E011: Check db threw Error: relation "salaries" does not exist at 10.1.2.3',
    'a.I: all of it is private',
  ]);
});
