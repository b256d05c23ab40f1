import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checks } from 'lifesign';
import { makeHealth } from '../make-health.js';
import { deferred } from '../waiting.js';

const warning = () => new checks.Warning('x', { id: 'a.W' });
const infos = (count: number, text = 'y', more = {}) =>
  Array.from({ length: count }, () => new checks.Info(text, { id: 'a.I', ...more }));

/** What a heartbeat tells of a check that returned this. */
async function found(outcome: unknown, options = {}) {
  const { health } = makeHealth(options);
  health.check('odd', (() => outcome) as () => undefined);
  const [result] = (await health.heartbeat()).results;
  if (result === undefined) throw new Error('no result');
  return result;
}

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
    health.check('a', () => [new checks.Warning('x', { id: 'a.W', fields: { used: 93 } })]);
    const parts: unknown[] = [];
    health.on('heartbeatFailed', (event) => {
      const { report } = event;
      parts.push(event, report, report.checks, report.details['a']);
    });
    const beat = await health.heartbeat();
    health.close();
    const [message] = beat.results[0]?.messages ?? [];
    parts.push(beat, beat.results, beat.results[0], message, message?.fields);
    expect(parts.map((part) => typeof part === 'object' && Object.isFrozen(part))).toEqual(
      Array(9).fill(true),
    );
  });

  it.each<[string, unknown]>([
    ['a list with undefined in it', [warning(), , warning()]], // oxlint-disable-line no-sparse-arrays
    ['a list with undefined in it', Object.assign([], { length: 2 })],
    ['a list with undefined in it', Object.assign([], { length: 2 ** 32 - 1 })],
    ['a message without a valid level, text or id', Object.defineProperty(warning(), 'text', { value: 10n })],
    [
      'a list with a message without a valid level, text or id in it',
      [Object.defineProperty(warning(), 'id', { value: '' })],
    ],
    ['a message without a valid level, text or id', Object.defineProperty(warning(), 'level', { value: 35 })],
    ['a Date', new Date()],
    ['a list with an Array in it', [[]]],
    ['a list with a function in it', [() => {}]],
  ])('is E014 as %s', async (named, outcome) => {
    expect((await found(outcome)).messages).toEqual([
      {
        level: 40,
        text: `Check odd returned ${named} instead of a list of check messages; return [] if nothing is wrong`,
        id: 'health.E014',
        hint: undefined,
      },
    ]);
  });

  it('is scrubbed and bounded: text, id, hint and the name of the check', async () => {
    const { health, records, report } = makeHealth();
    const url = 'postgres://app:hunter2@db';
    const odd = warning();
    Object.assign(odd, { text: `cannot open ${url}`, id: `id ${url}${'x'.repeat(1e6)}`, hint: `try ${url}` });
    health.check(`open ${url} ${'n'.repeat(1e6)}`, () => [odd]);
    const all = JSON.stringify((await report()).body) + JSON.stringify(records);
    expect(all).not.toContain('hunter2');
    expect(all.length).toBeLessThan(3000);
    expect(records[0]?.fields['hint']).toBe('try postgres://***@db');
  });

  it.each([
    ['1,000 messages', infos(1000), 1000, 0],
    ['1,002 messages', infos(1002), 1000, 2],
    ['100,000 messages', Array(100_000).fill(warning()), 1000, 99_000],
  ])('of a flood is 1,000 messages, the others are counted: %s', async (_what, flood, shown, left) => {
    const { messages } = await found(flood);
    expect(messages.slice(0, shown)).toHaveLength(shown);
    expect(messages.slice(shown)).toEqual(
      left === 0
        ? []
        : [
            expect.objectContaining({
              id: 'health.I002',
              text: `${left} more messages from this check are not shown`,
            }),
          ],
    );
  });

  // Text, hint and fields: the message that goes beyond the bound is the last.
  it.each([
    ['600 KB of texts', infos(300, 'y'.repeat(2000))],
    ['900 KB of fields', infos(900, 'y'.repeat(400), { fields: { a: 'z'.repeat(600) } })],
    ['600 KB of hints', infos(300, 'y', { hint: 'h'.repeat(1996) })],
  ])('of a flood is 256 KiB, and the level is that of all: %s', async (_what, flood) => {
    const { status, messages } = await found([...flood, new checks.Critical('last', { id: 'a.C' })]);
    const size = JSON.stringify(messages).length;
    expect(size).toBeGreaterThan(256 * 1024);
    expect(size).toBeLessThan(256 * 1024 + 5000);
    expect(status).toBe('critical');
    expect(messages.at(-1)).toMatchObject({
      id: 'health.I002',
      text: `${flood.length + 2 - messages.length} more messages from this check are not shown`,
      level: 20,
    });
  });

  it('has a hint only where it is a text', async () => {
    const { messages } = await found(Object.assign(warning(), { hint: 7, fields: null }));
    expect(messages).toEqual([{ level: 30, text: 'x', id: 'a.W', hint: undefined }]);
  });

  it.each([
    [['b.C'], 'warning', ['a.W']],
    [['a.W', 'b.C'], 'ok', []],
  ])('leaves out what is silenced, and its level: %j', async (silencedChecks, status, ids) => {
    const said = [warning(), new checks.Critical('gone', { id: 'b.C' })];
    const result = await found(said, { silencedChecks });
    expect([result.status, result.messages.map(({ id }) => id)]).toEqual([status, ids]);
    expect((await found('junk', { silencedChecks: ['health.E014'] })).status).toBe('ok');
  });
});

describe('the fields of a message', () => {
  const logged = async (fields: object) => {
    const { health, records, report } = makeHealth();
    health.check('disk', () => [
      new checks.Warning('Full', { id: 'a.W1', hint: 'Look', fields: fields as never }),
    ]);
    return { body: (await report()).body, fields: records[0]?.fields ?? {} };
  };

  it('are scalars; all else is left out, of texts 1,000 characters, of names 64, of fields 20 are kept', async () => {
    const given = {
      text: 'a',
      number: 1.5,
      big: 12345678901234567890n,
      truth: false,
      nothing: null,
      missing: undefined,
      nan: NaN,
      infinite: Infinity,
      object: {},
      list: [1],
      symbol: Symbol('s'),
      call: () => 1,
      ['m'.repeat(65)]: 2,
      long: 'w'.repeat(1001),
      password: 'hunter2',
      url: 'redis://:hunter2@cache',
      'postgres://app:hunter2@db': 1,
    };
    expect((await logged(given)).fields).toEqual({
      check: 'disk',
      hint: 'Look',
      text: 'a',
      number: 1.5,
      big: '12345678901234567890',
      truth: false,
      nothing: null,
      [`${'m'.repeat(64)}…`]: 2,
      long: `${'w'.repeat(1000)}…`,
      password: '***',
      url: 'redis://***@cache',
      'postgres://***@db': 1,
    });
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`field${index}`, index]));
    expect(Object.keys((await logged(many)).fields)).toHaveLength(22);
  });

  it('whatever they are, are flat, replace none of ours and stay out of the body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.anything()), async (given) => {
        const { body, fields } = await logged({ ...given, password: 'hunter2', check: 'mine', used: 93 });
        expect(fields).toMatchObject({ check: 'disk', hint: 'Look' });
        for (const value of Object.values(fields)) expect(Object(value)).not.toBe(value);
        expect(JSON.stringify([body, fields])).not.toContain('hunter2');
        expect(JSON.stringify(body)).not.toContain('93');
      }),
      { numRuns: 50 },
    );
  });
});
