import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { parseSync } from 'vite';
import { clean, describe as describeThrown, scrub, textOf } from '../../../src/core/scrub/scrub.js';
import { families, scrubWhole } from '../../../src/core/scrub/families.js';
import { withoutFolders } from '../../../src/core/scrub/folders.js';
import { prefixes } from '../../../src/core/scrub/tokens.js';
import { attacksFrom, randomFrom, samplesOf, slowestAttack } from './linear.js';
import { seed } from '../../seed.js';
import { madeUp, shapes } from './secrets/shapes.js';
import { chosen, whole } from '../../whole.js';

const source = new URL('../../../src/', import.meta.url).pathname;

/** Every regular expression that is written in src, by where it stands: a new one is tested without a new test. */
const patterns = new Map<string, RegExp>();
for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
  if (!/\.c?ts$/.test(file)) continue;
  const code = readFileSync(source + file, 'utf8');
  const { program } = parseSync(file, code);
  visit(program, (node) => {
    if (!('regex' in node)) return;
    const { pattern, flags } = node['regex'] as { pattern: string; flags: string };
    patterns.set(
      `${file}: /${pattern.length > 60 ? `${pattern.slice(0, 60)}…` : pattern}/${flags}`,
      new RegExp(pattern, flags),
    );
  });
}

function visit(node: unknown, see: (node: Record<string, unknown>) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) for (const item of node) visit(item, see);
  else {
    const record = node as Record<string, unknown>;
    if (typeof record['type'] === 'string') see(record);
    for (const value of Object.values(record)) visit(value, see);
  }
}

describe('every pattern takes time in proportion to its text', () => {
  it('there are patterns', () => expect(patterns.size).toBeGreaterThan(100));

  it('the test knows a slow one', { timeout: 60_000 }, () => {
    for (const slow of chosen([/\S*$/, /\n\s+at /, /eyJ[\w-]{5,}\./], String(/\n\s+at /))) {
      expect(attack(slow, 1), String(slow)).toBeDefined();
    }
  });

  test.each([...patterns].filter((_pattern, index) => whole || index % 16 === 0))(
    '%s',
    { timeout: 60_000 },
    (name, pattern) => {
      expect(attack(pattern, name.length)).toBeUndefined();
    },
  );
});

function attack(pattern: RegExp, seed: number): string | undefined {
  const random = randomFrom(seed);
  const attacks = samplesOf(pattern, 6, seed).flatMap((sample) => [...attacksFrom(sample, random, 10)]);
  const once = new RegExp(pattern.source, pattern.flags.replace('y', ''));
  const all = once.global ? once : new RegExp(once.source, `${once.flags}g`);
  return slowestAttack((text) => text.replace(all, ''), attacks);
}

describe('what scrubs takes time in proportion to its text', () => {
  /** What secrets look like, and every beginning of a token: the alphabet of the patterns. */
  const texts = [
    ...shapes.map((shape, index) => shape.make(madeUp(shape, index))),
    ...prefixes.flatMap((prefix) => samplesOf(new RegExp(prefix), 1, 7)),
    ...[...patterns]
      .filter(([name]) => name.startsWith('core/scrub'))
      .flatMap(([, pattern]) => samplesOf(pattern, 2, 7)),
  ];
  const random = randomFrom(seed & 0xffff);
  const pick = () => texts[Math.floor(random() * texts.length)] ?? '';

  for (const { name, scrub } of families) {
    it(name, { timeout: 60_000 }, () => {
      const attacks = texts.flatMap((text) => [...attacksFrom(text, random, 1)]);
      expect(slowestAttack(scrub, attacks)).toBeUndefined();
    });
  }

  it('all of them together, on beginnings of two shapes in turn', { timeout: 60_000 }, () => {
    const pairs = Array.from({ length: 150 }, () => {
      const [one, other] = [pick(), pick()];
      return {
        head: '',
        pump: one.slice(0, 1 + random() * one.length) + other.slice(0, 1 + random() * other.length),
        tail: '',
      };
    });
    expect(slowestAttack(scrubWhole, pairs)).toBeUndefined();
    expect(slowestAttack(withoutFolders, pairs)).toBeUndefined();
  });

  it('is given no more than a bounded part of a text of any length', () => {
    const evil = 'eyJ-'.repeat(1_000_000);
    expect(scrub(evil).length).toBeLessThan(20_000);
    expect(clean(evil, 100).length).toBeLessThanOrEqual(101);
    expect(textOf(evil).length).toBeLessThanOrEqual(501);
    expect(describeThrown(new Error(evil)).length).toBeLessThan(700);
  });
});
