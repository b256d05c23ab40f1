import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Target } from '../../src/wait/target.js';
import type { Condition } from '../../src/wait/conditions.js';

const conditions: Condition[] = ['/a', '/b'].map((path) => ({ path, judge: () => ({ missing: undefined }) }));

/** Answers in turn, one a second: whether each was good. */
const answers = fc.array(fc.boolean(), { maxLength: 40 });

test('holds exactly as long as every answer since the last bad one was good', () => {
  fc.assert(
    fc.property(answers, (goods) => {
      const target = new Target('x', conditions);
      goods.forEach((good, second) => {
        const condition = target.next();
        if (condition) target.take(condition, { missing: good ? undefined : 'bad' }, second * 1000);
      });
      const lastBad = goods.lastIndexOf(false);
      const run = goods.length - 1 - lastBad;
      const expected = run >= conditions.length ? (run - 1) * 1000 : undefined;
      expect(target.goodFor((goods.length - 1) * 1000)).toBe(expected);
    }),
  );
});

test('says what is missing until it holds', () => {
  const target = new Target('x', conditions);
  expect(target.missing()).toEqual(['not requested yet']);
  const [a, b] = [target.next(), target.next()];
  if (a === undefined || b === undefined) throw new Error('two conditions');
  target.take(a, { missing: 'still runs 1' }, 0);
  target.take(b, { missing: 'heartbeat 500' }, 1);
  expect(target.missing()).toEqual(['still runs 1', 'heartbeat 500']);
  target.take(a, { missing: undefined }, 2);
  target.take(b, { missing: undefined }, 3);
  expect(target.goodFor(3)).toBe(1);
});

test('a service that names another build each time fills no memory', () => {
  const target = new Target('x', conditions);
  const condition = target.next();
  if (condition === undefined) throw new Error('a condition');
  for (let n = 0; n < 10_000; n += 1) target.take(condition, { build: String(n), missing: 'still' }, n);
  expect([target.builds.size, target.answers]).toEqual([20, 10_000]);
});
