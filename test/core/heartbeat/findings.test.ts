import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { engineOf } from '../../../src/core/health.js';
import {
  mergeFindings,
  type Findings,
  findingsOf,
  findingsWith,
  noFindings,
} from '../../../src/core/heartbeat/findings.js';
import { checks } from 'lifesign';
import { makeHealth, report } from '../make-health.js';
import { deferred } from '../waiting.js';

const warning = () => new checks.Warning('x', { id: 'a.W' });

describe('what a check returned', () => {
  it('is copied: a list or a message that is changed later changes nothing', async () => {
    const { health } = makeHealth();
    const list = [warning()];
    health.check('live', () => list);
    const other = deferred();
    health.check('other', () => other.promise);
    const beating = health.heartbeat();
    Object.defineProperty(list[0], 'text', { value: 10n });
    Reflect.apply(list.push, list, [null]);
    other.resolve();
    const { results } = await beating;
    expect(results[0]?.messages).toEqual([{ level: 30, text: 'x', id: 'a.W', hint: undefined }]);
  });

  it('cannot be changed by anybody who is given the heartbeat or its signal', async () => {
    const { health } = makeHealth({ cacheFor: 60_000 });
    health.check('a', () => [warning()]);
    let failures = 0;
    health.on('heartbeatFailed', (event) => {
      for (const part of [event, event.report, event.report.checks, event.report.details['a']]) {
        if (Object.isFrozen(part)) failures += 1;
      }
    });
    const beat = await health.heartbeat();
    health.close();
    expect(failures).toBe(4);
    for (const part of [beat, beat.results, beat.results[0], beat.results[0]?.messages[0]]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it.each<[string, () => unknown, string]>([
    ['a hole', () => [warning(), , warning()], 'a list with undefined in it'], // oxlint-disable-line no-sparse-arrays
    ['an empty list with a length', () => Object.assign([], { length: 2 }), 'a list with undefined in it'],
    ['a length without end', () => Object.assign([], { length: 2 ** 32 - 1 }), 'a list of length 4294967295'],
    [
      'a text that is a bigint',
      () => Object.defineProperty(warning(), 'text', { value: 10n }),
      'a message whose text is a bigint',
    ],
    [
      'no id',
      () => [Object.defineProperty(warning(), 'id', { value: '' })],
      'a list with a message whose id is empty in it',
    ],
    [
      'a level of its own',
      () => Object.defineProperty(warning(), 'level', { value: 35 }),
      'a message with an unknown level',
    ],
  ])('with %s is E014', async (_what, odd, named) => {
    const { health } = makeHealth();
    health.check('odd', odd as () => undefined);
    expect((await report(health)).body).toMatchObject({
      details: {
        odd: {
          messages: { 'health.E014': `Check odd returned ${named} instead of a list of check messages` },
        },
      },
    });
  });

  it('is scrubbed and bounded: text, id, hint and the name of the check', async () => {
    const { health, records } = makeHealth();
    const url = 'postgres://app:hunter2@db';
    const odd = warning();
    Object.assign(odd, { text: `cannot open ${url}`, id: `id ${url}${'x'.repeat(1e6)}`, hint: `try ${url}` });
    health.check(`open ${url} ${'n'.repeat(1e6)}`, () => [odd]);
    const { body } = await report(health);
    const all = JSON.stringify(body) + JSON.stringify(records);
    expect(all).not.toContain('hunter2');
    expect(all.length).toBeLessThan(3000);
    expect(records[0]?.fields['hint']).toBe('try postgres://***@db');
  });

  it('of a check that floods is 1,000 messages and 256 KiB; the level is that of all of them', async () => {
    const { health } = makeHealth();
    const many = Array.from({ length: 5000 }, () => new checks.Info('y'.repeat(2000), { id: 'a.I' }));
    health.check('flood', () => [...many, new checks.Critical('last', { id: 'a.C' })]);
    const { body } = await report(health);
    expect(body).toMatchObject({ status: 'critical' });
    expect(JSON.stringify(body)).toContain('more messages from this check are not shown');
    expect(JSON.stringify(body).length).toBeLessThan(300_000);
  });
});

it('an async details option hides the details, and the log says so once', async () => {
  const { health, records } = makeHealth({
    details: (async () => {
      throw new Error('invalid token');
    }) as never,
  });
  health.check('a', () => []);
  for (let time = 0; time < 3; time += 1) {
    expect((await engineOf(health).handle('GET', '/__heartbeat__', undefined))?.body).toBe('{"status":"ok"}');
  }
  expect(records.map(({ msg }) => msg)).toEqual([
    'The details option returned a promise instead of true or false; details are hidden',
  ]);
});

it('a version callback that hangs is called once for a flood of requests', async () => {
  const { health } = makeHealth({ timeout: 15 });
  let calls = 0;
  health.versionCallback(() => {
    calls += 1;
    return new Promise<never>(() => {});
  });
  const answers = await Promise.all(
    Array.from({ length: 50 }, async () => engineOf(health).handle('GET', '/__version__', undefined)),
  );
  expect(answers.every((answer) => answer?.status === 500)).toBe(true);
  expect(calls).toBe(1);
});

it.each([
  { toJSON: () => undefined },
  { toJSON: () => 'text' },
  { toJSON: () => [] },
  { big: 'x'.repeat(2 ** 20) },
])('a version that JSON does not take as an object is an error of its own', async (version) => {
  const { health } = makeHealth();
  health.versionCallback(() => version);
  const answer = await engineOf(health).handle('GET', '/__version__', undefined);
  expect(answer?.status).toBe(500);
  expect(JSON.parse(answer?.body ?? '').error).toMatch(/^the version callback /);
});

it('the fields of a message are fields of its log record: flat, few, without credentials, and never in place of ours', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.anything()), async (given) => {
      const { health, records } = makeHealth();
      const fields = { ...given, password: 'hunter2', check: 'mine', used: 93 };
      health.check('disk', () => [new checks.Warning('Full', { id: 'a.W1', hint: 'Look', fields })]);
      const { body } = await report(health);
      const [record] = records;
      expect(record?.fields).toMatchObject({ check: 'disk', hint: 'Look' });
      expect(Object.keys(record?.fields ?? {}).length).toBeLessThanOrEqual(23);
      for (const value of Object.values(record?.fields ?? {})) expect(Object(value)).not.toBe(value);
      if (Object.keys(given).length < 17) expect(record?.fields).toMatchObject({ password: '***', used: 93 });
      expect(JSON.stringify([body, record])).not.toContain('hunter2');
      expect(JSON.stringify(body)).not.toContain('93');
    }),
    { numRuns: 50 },
  );
});

describe('findings', () => {
  const none: ReadonlySet<string> = new Set();
  const infos = (count: number, text = 'y', fields?: Record<string, string>) =>
    Array.from({ length: count }, () => new checks.Info(text, { id: 'a.I', ...(fields && { fields }) }));
  const notShown = ({ messages }: Findings) => {
    const last = messages.at(-1);
    return last?.id === 'health.I002' ? last : undefined;
  };

  it.each([undefined, null, []])('of %j are nothing', (outcome) => {
    expect(findingsOf('a', outcome, none)).toBe(noFindings);
    expect(noFindings).toEqual({ messages: [], level: 0 });
  });

  it('are 1,000 messages at the most, and one that counts the others', () => {
    expect(findingsOf('a', infos(1000), none).messages).toHaveLength(1000);
    expect(notShown(findingsOf('a', infos(1000), none))).toBeUndefined();
    const flood = findingsOf('a', infos(1002), none);
    expect(flood.messages).toHaveLength(1001);
    expect(notShown(flood)).toEqual({
      level: 20,
      text: '2 more messages from this check are not shown',
      id: 'health.I002',
      hint: undefined,
    });
    expect(flood.level).toBe(20);
  });

  it.each([
    // Text and id of each count, its hint and its fields too: the one that goes beyond the bound is the last.
    [infos(300, 'y'.repeat(2000)), Math.ceil((256 * 1024) / 2003)],
    [infos(900, 'y'.repeat(400), { a: 'z'.repeat(600) }), Math.ceil((256 * 1024) / (403 + 608))],
    [
      Array.from({ length: 300 }, () => new checks.Info('y', { id: 'a.I', hint: 'h'.repeat(1996) })),
      Math.ceil((256 * 1024) / 2000),
    ],
  ])('have 256 KiB of text at the most', (flood, shown) => {
    const found = findingsOf('a', flood, none);
    expect(found.messages).toHaveLength(shown + 1);
    expect(notShown(found)?.text).toBe(`${flood.length - shown} more messages from this check are not shown`);
  });

  it('of a list of up to 100,000 are read', () => {
    expect(notShown(findingsOf('a', Array(100_000).fill(warning()), none))?.text).toMatch(/^99000 more/);
    const long = findingsOf('a', Array(100_001).fill(warning()), none);
    expect(long.messages[0]?.text).toContain('a list of length 100001');
  });

  it('leave out what is silenced, and its level', () => {
    const said = [warning(), new checks.Critical('gone', { id: 'b.C' })];
    expect(findingsOf('a', said, new Set(['b.C']))).toMatchObject({ level: 30, messages: [{ id: 'a.W' }] });
    expect(findingsOf('a', said, new Set(['a.W', 'b.C']))).toEqual({ level: 0, messages: [] });
    expect(findingsOf('a', 'junk', new Set(['health.E014']))).toEqual({ level: 0, messages: [] });
    expect(findingsWith(warning(), new Set(['a.W']))).toEqual({ level: 0, messages: [] });
  });

  it.each([
    [7, 'a number'],
    ['text', 'a string'],
    [new Date(), 'a Date'],
    [[null], 'a list with null in it'],
    [[[]], 'a list with an Array in it'],
    [[() => {}], 'a list with a function in it'],
  ])('of %j name its type', (outcome, type) => {
    expect(findingsOf('a', outcome, none).messages).toEqual([
      {
        level: 40,
        text: `Check a returned ${type} instead of a list of check messages`,
        id: 'health.E014',
        hint: undefined,
      },
    ]);
  });

  it('keep the fields of a message as a frozen copy, and a hint only where it is a text', () => {
    const [found] = findingsOf('a', new checks.Info('y', { id: 'a.I', fields: { used: 93 } }), none).messages;
    expect(found?.fields).toEqual({ used: 93 });
    expect(Object.isFrozen(found?.fields) && Object.isFrozen(found)).toBe(true);
    const odd = Object.assign(warning(), { hint: 7, fields: null });
    expect(findingsOf('a', odd, none).messages).toEqual([
      { level: 30, text: 'x', id: 'a.W', hint: undefined },
    ]);
  });

  it('of two are the messages of both and the worse level', () => {
    const [good, bad] = [findingsWith(warning(), none), findingsOf('a', 'junk', none)];
    for (const [one, other] of [
      [good, bad],
      [bad, good],
    ] as const) {
      const joined = mergeFindings(one, other);
      expect(joined).toEqual({ level: 40, messages: [...one.messages, ...other.messages] });
      expect(Object.isFrozen(joined.messages)).toBe(true);
    }
  });
});
