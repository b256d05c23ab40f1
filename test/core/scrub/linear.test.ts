import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { parseSync } from 'vite';
import { clean, describe as describeThrown, families, scrub, textOf } from '../../../src/core/scrub/scrub.js';
import { withoutFolders } from '../../../src/core/scrub/printable.js';
import { seed } from '../../seed.js';
import { whole } from '../../whole.js';
import { forms } from './forms.js';

/** CPU is measured at these lengths. Of what is linear each doubling takes twice as long, of what is quadratic four times. */
const short = 1024;
const doublings = 4;
/** Far from 16 and from 256, since a machine is noisy. */
const most = 80;
/** Milliseconds that the long text may take however it grows: its length squared takes a hundred at the very least. */
const free = 8;

type Taker = (text: string) => unknown;
/** A text that begins with `head`, repeats `pump`, and ends with `tail`. */
type Attack = readonly [head: string, pump: string, tail: string];

/** The attack that made a function slow, or undefined. Noise cannot fail it: one good run of many is enough. */
function slowestAttack(take: Taker, attacks: readonly Attack[]): string | undefined {
  for (const attack of attacks) {
    const [small, large] = [textFrom(attack, short), textFrom(attack, short * 2 ** doublings)];
    let [base, grown, spent] = [0, Infinity, 0];
    // A first look is enough for nearly all. What is slow is slow in every run.
    for (let run = 0; run < 40 && spent < 1000 && grown > free && grown > most * base; run += 1) {
      const last = cpuOf(take, large);
      spent += last;
      grown = Math.min(grown, last);
      base = run === 0 ? cpuOf(take, small) : Math.min(base, cpuOf(take, small));
    }
    if (grown > free && grown > most * base) return `${JSON.stringify(attack)}: ${base} ms and ${grown} ms`;
  }
  return undefined;
}

// Flat, so that no run pays for the making of it.
const textFrom = ([head, pump, tail]: Attack, length: number): string =>
  Buffer.from(head + pump.repeat(Math.ceil(length / pump.length)).slice(0, length) + tail).toString();

/** Milliseconds of this process: a clock on the wall also counts the turns of others on a busy machine. */
function cpuOf(take: Taker, text: string): number {
  const before = process.cpuUsage();
  take(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const tails = ['', '\n', '!', ' x', '"', '@', '/'];

/** Attacks made of the pieces of a text, any of them repeated after what stands before it. */
function attacksOf(pieces: readonly string[], random: () => number, count: number): Attack[] {
  const pick = (below: number) => Math.floor(random() * below);
  return Array.from({ length: count }, () => {
    const from = pick(pieces.length);
    const pump = pieces.slice(from, from + 1 + pick(6)).join('') || 'a';
    const head = pick(2) === 0 ? '' : pieces.slice(0, from).join('');
    return [head, pump, tails[pick(tails.length)] ?? ''];
  });
}

/** Numbers from 0 to 1 that a seed decides. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

const candidates = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).concat(
  '\n',
  '\t',
  'é',
);

/** A character for each atom of a pattern, in its order. */
function piecesOf({ source, flags }: RegExp): string[] {
  const atoms = source.match(
    /\\u[0-9a-f]{4}|\\[pP]\{[^}]*\}|\\[^]|\[(?:\\[^]|[^\]\\])*\]|\(\?(?:<?[=!]|:|<\w+>)|\{\d+,?\d*\}|[^]/g,
  );
  const chars = (atoms ?? []).filter((atom) => !/^(?:[()|^$*+?]|\(\?.*|\{\d.*|\\[bB\d])$/.test(atom));
  return chars.map((atom) => {
    const one = new RegExp(`^${atom}$`, flags.replace(/[^iu]/g, ''));
    return candidates.find((char) => one.test(char)) ?? 'a';
  });
}

/** Every regular expression that is written in src, by where it stands: a new one is tested without a new test. */
const patterns = new Map<string, RegExp>();
const source = new URL('../../../src/', import.meta.url).pathname;
for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
  if (!/\.c?ts$/.test(file)) continue;
  JSON.stringify(parseSync(file, readFileSync(source + file, 'utf8')).program, (_key, value) => {
    if (value?.regex !== undefined) {
      const { pattern, flags } = value.regex;
      patterns.set(`${file}: /${pattern.slice(0, 60)}/${flags}`, new RegExp(pattern, flags));
    }
    return typeof value === 'bigint' ? undefined : value;
  });
}

function slowness(pattern: RegExp, start: number): string | undefined {
  const all = new RegExp(pattern.source, `${pattern.flags.replace(/[yg]/g, '')}g`);
  return slowestAttack((text) => text.replace(all, ''), attacksOf(piecesOf(pattern), randomFrom(start), 40));
}

describe('every pattern takes time in proportion to its text', () => {
  it('there are patterns', () => expect(patterns.size).toBeGreaterThan(100));

  it.each([/\S*$/, /\n\s+at /, /eyJ[\w-]{5,}\./])(
    'the test knows a slow one: %s',
    { timeout: 60_000 },
    (slow) => {
      expect(slowness(slow, 1)).toBeDefined();
    },
  );

  test.each([...patterns].filter((_, index) => whole || index % 16 === 0))(
    '%s',
    { timeout: 60_000 },
    (name, pattern) => {
      expect(slowness(pattern, name.length)).toBeUndefined();
    },
  );
});

describe('what scrubs takes time in proportion to its text', () => {
  const random = randomFrom(seed & 0xffff);
  const texts = forms.map(({ make }) => make('Hk29fjQz7LmPq3Xw'));
  const pieces = texts.map((text) => text.match(/\w+|\s+|[^]/g) ?? []);

  it.each([...families, { name: 'paths', scrub: withoutFolders }])(
    '$name',
    { timeout: 60_000 },
    ({ scrub }) => {
      expect(
        slowestAttack(
          scrub,
          pieces.flatMap((each) => attacksOf(each, random, 1)),
        ),
      ).toBeUndefined();
    },
  );

  it('all of them together, on beginnings of two forms in turn', { timeout: 60_000 }, () => {
    const begun = () => {
      const text = texts[Math.floor(random() * texts.length)] ?? '';
      return text.slice(0, 1 + random() * text.length);
    };
    const attacks = Array.from({ length: 150 }, (): Attack => ['', begun() + begun(), '']);
    const all = (text: string) => families.reduce((shown, family) => family.scrub(shown), text);
    expect(slowestAttack(all, attacks)).toBeUndefined();
  });

  it('is given no more than a bounded part of a text of any length', () => {
    const evil = 'eyJ-'.repeat(1_000_000);
    expect(scrub(evil).length).toBeLessThan(20_000);
    expect(clean(evil, 100).length).toBeLessThanOrEqual(101);
    expect(textOf(evil).length).toBeLessThanOrEqual(501);
    expect(describeThrown(new Error(evil)).length).toBeLessThan(700);
  });
});
