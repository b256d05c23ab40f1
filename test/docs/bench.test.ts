import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withSections } from '../../bench/report.js';
import { slopeOf } from '../../bench/sections/slope.js';
import { judge, scaled, tolerance } from '../../bench/verdict.js';

const positive = fc.double({ min: 0.01, max: 1000, noNaN: true });

test('5 % more CPU time than recorded fails, whatever the budget is; a fifth of that does not', () => {
  fc.assert(
    fc.property(positive, fc.option(positive, { nil: undefined }), (recorded, budget) => {
      const finding = (measured: number) =>
        judge([{ value: measured, budget, measured, recorded, factor: 1 + tolerance, says: 'row' }]);
      expect(finding(recorded * 1.05).broken).toEqual(['row']);
      expect(finding(recorded * 1.01).broken).toEqual([]);
    }),
  );
});

test('rounds that disagree are no proof: three quarters of them have to be slower than recorded', () => {
  const slower = { value: 1.1, measured: 1.1, recorded: 1, factor: 1 + tolerance, says: 'row' };
  expect(judge([{ ...slower, least: 1.05 }]).broken).toEqual(['row']);
  expect(judge([{ ...slower, least: 0.98 }]).broken).toEqual([]);
});

test('a missed budget is named; it fails the run only where nothing is recorded', () => {
  const missed = { value: 0.3, budget: 0.2, measured: 1.3, factor: 1.035, says: 'row' };
  expect(judge([{ ...missed, recorded: 1.3 }])).toEqual({ missed: ['row'], broken: [] });
  expect(judge([missed])).toEqual({ missed: ['row'], broken: ['row'] });
  expect(judge([{ ...missed, value: 0.2 }])).toEqual({ missed: [], broken: [] });
});

test('a machine that is so many times as fast has so many times less to spend', () => {
  expect(scaled(0.5, 55)).toBe(0.5);
  expect(scaled(10, 11)).toBe(2);
});

/** A cost that grows by so much for each, on a machine of some speed. */
const line = (perOne: number, speed: number) =>
  [10, 100, 1000].map((many) => ({ many, cost: (50 + perOne * many) * speed }));

test('a slope that doubles fails, on a machine of any speed', () => {
  fc.assert(
    fc.property(positive, fc.double({ min: 0.1, max: 10, noNaN: true }), (perOne, speed) => {
      const growth = (factor: number) =>
        slopeOf('x', 'a check', line(perOne * factor, speed), 55 * speed, undefined, {
          'slope: x': perOne / 55,
        });
      expect(growth(2.1).broken).toHaveLength(1);
      expect(growth(1.9).broken).toEqual([]);
    }),
  );
});

test('growth that is not linear fails though the slope was recorded', () => {
  const points = [10, 100, 1000].map((many) => ({ many, cost: many ** 2 }));
  const { broken } = slopeOf('x', 'a check', points, 55, undefined, { 'slope: x': 1000 });
  expect(broken).toEqual([expect.stringContaining('faster than linearly')]);
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
  const sections = ['checks', 'watchers', 'log lines', 'memory'].map((name) => `scale: ${name}`);
  const others = ['machine', 'versions', 'storm', 'watchdog', 'formatter', 'start-up', 'probe'];
  for (const name of [...works.map(({ name }) => name), ...sections, ...others]) {
    expect(page).toContain(`<!-- bench: ${name} -->`);
  }
});
