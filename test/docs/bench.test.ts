import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Verdict, verdictsOf } from '../../bench/evidence.js';
import { withSections } from '../../bench/report.js';
import { randomFrom } from '../../bench/scale/random.js';
import { slopeOf } from '../../bench/sections/slope.js';
import { judge } from '../../bench/verdict.js';

const positive = fc.double({ min: 0.01, max: 1000, noNaN: true });

/** Pairs of starts: their ratio is `ratio`, and each differs from it by about `spread`. */
const pairsOf = (ratio: number, spread: number, random: () => number) => {
  // Twelve uniform numbers add up to a normal one.
  const normal = () => Array.from({ length: 12 }, random).reduce((sum, number) => sum + number, -6);
  return () => ratio * Math.exp(spread * normal());
};

/** Draws pairs as the regression check does, for seven rows of which the first has this ratio and the others 1. */
function checked(ratio: number, spread: number, random: () => number): readonly Verdict[] {
  const sources = Array.from({ length: 7 }, (_, row) => pairsOf(row === 0 ? ratio : 1, spread, random));
  const rows: number[][] = sources.map(() => []);
  for (let pair = 0; pair < 20; pair += 1) {
    const verdicts = verdictsOf(rows);
    for (const [index, row] of rows.entries())
      if (verdicts[index] === 'open') row.push(sources[index]?.() ?? 1);
  }
  return verdictsOf(rows);
}

/** Of 400 checks, the share with such verdicts. */
function shareOf(ratio: number, spread: number, is: (verdicts: readonly Verdict[]) => boolean): number {
  const random = randomFrom(7);
  const checks = Array.from({ length: 400 }, () => checked(ratio, spread, random));
  return checks.filter(is).length / checks.length;
}

test('the regression check notices 5 % and raises no false alarm, whatever the starts differ by', () => {
  for (const spread of [0.01, 0.02, 0.03, 0.05]) {
    expect(shareOf(1, spread, (verdicts) => verdicts.includes('slower'))).toBeLessThan(0.02);
    // Starts that differ more give no verdict.
    expect(
      shareOf(1.05, spread, ([first]) => first === 'slower' || (spread > 0.03 && first === 'open')),
    ).toBeGreaterThan(0.97);
  }
});

test('a missed budget is named; it fails the run if no reason is known', () => {
  const missed = { value: 0.3, budget: 0.2, says: 'row' };
  expect(judge([missed])).toEqual({ missed: ['row'], broken: ['row'] });
  expect(judge([{ ...missed, because: 'why' }])).toEqual({ missed: ['row (why)'], broken: [] });
  expect(judge([{ ...missed, value: 0.2 }])).toEqual({ missed: [], broken: [] });
});

/** A cost that grows by so much for each, on a machine of some speed. */
const line = (perOne: number, speed: number) =>
  [10, 100, 1000].map((many) => ({ many, cost: (50 + perOne * many) * speed }));

test('a slope above its budget fails, on a machine of any speed', () => {
  fc.assert(
    fc.property(positive, fc.double({ min: 0.1, max: 10, noNaN: true }), (perOne, speed) => {
      const growth = (factor: number) =>
        slopeOf('x', 'a check', line(perOne * factor, speed), 55 * speed, perOne);
      expect(growth(1.1).broken).toHaveLength(1);
      expect(growth(0.9).broken).toEqual([]);
    }),
  );
});

test('a table takes the place of the one before it, and nothing else changes', () => {
  const page = 'a\n<!-- bench: x -->\n\nold\n\n<!-- /bench -->\nb\n<!-- bench: y -->\n<!-- /bench -->\nc';
  const written = withSections(withSections(page, { x: 'new' }), { x: '$1 newer', y: 'too' });
  expect(written).toBe(
    'a\n<!-- bench: x -->\n\n$1 newer\n\n<!-- /bench -->\nb\n<!-- bench: y -->\n\ntoo\n\n<!-- /bench -->\nc',
  );
  expect(() => withSections(page, { z: '' })).toThrow('no place for "z"');
});

test('contributing/performance.md has a place for every table of the bench', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../contributing/performance.md'), 'utf8');
  // Files of the bench are JavaScript without types.
  const index: string = '../../bench/works/index.mjs';
  const { works }: { works: readonly { readonly name: string }[] } = await import(index);
  const sections = ['checks', 'log lines', 'memory'].map((name) => `scale: ${name}`);
  const others = ['machine', 'versions', 'storm', 'watchdog', 'formatter', 'start-up', 'probe'];
  for (const name of [...works.map(({ name }) => name), ...sections, ...others]) {
    expect(page).toContain(`<!-- bench: ${name} -->`);
  }
});
