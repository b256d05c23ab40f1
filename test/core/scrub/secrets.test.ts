import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clean, scrub } from '../../../src/core/scrub/scrub.js';
import { further } from './secrets/further.js';
import { ordinary } from './secrets/ordinary.js';
import { leaks, madeUp, shapes } from './secrets/shapes.js';

/** Every way in which a text comes to stand in another. */
const surroundings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `Error: ${text}`,
  (text) => `${text}.`,
  (text) => `(${text})`,
  (text) => `"${text}"`,
  (text) => `'${text}'`,
  (text) => `first line\n${text}`,
  (text) => `${text}\n    at Object.<anonymous> (/app/server.js:10:5)`,
  (text) => `before, ${text}, after`,
  (text) => `status: 500; ${text}; see the log`,
  (text) => JSON.stringify({ code: 1, msg: text, mail: 'bob@example.org' }),
  (text) => JSON.stringify(JSON.stringify({ msg: text, next: 'x' })),
  (text) => JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ msg: text }) }) }),
  (text) => inspect({ message: text, port: 5432 }),
  (text) => inspect(new Error(text)),
];

const madeUpFurther = 'Hk29fjQz7LmPq3Xw';

describe('the published rate', () => {
  const isCaught = (make: (secret: string) => string, secret: string) => !leaks(scrub(make(secret)), secret);
  const findCaught = () =>
    shapes.filter((shape, index) =>
      [1, 2, 3].every((seed) => isCaught(shape.make, madeUp(shape, index * 10 + seed))),
    );
  const findAlarms = () => ordinary.filter((text) => scrub(text) !== text);

  it('hides every shape it was made for', () => {
    const caught = findCaught();
    expect(shapes.filter((shape) => !caught.includes(shape)).map(({ name }) => name)).toEqual([]);
  });
  it('leaves ordinary texts alone', () => expect(findAlarms()).toEqual([]));

  it('is what docs/security.md says', () => {
    const docs = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8').replace(
      /\s+/g,
      ' ',
    );
    const numbers =
      /hides the secret in (\d+) of (\d+) shapes, in (\d+) of (\d+) further texts,? .{0,80}?and changes (\d+) of (\d+) ordinary texts/.exec(
        docs,
      );
    const caughtFurther = further.filter((make) => isCaught(make, madeUpFurther));
    const measured = [findCaught(), shapes, caughtFurther, further, findAlarms(), ordinary];
    expect(numbers?.slice(1).map(Number)).toEqual(measured.map(({ length }) => length));
  });
});

it('of each text this is left, neither more nor less', async () => {
  const lines = shapes.flatMap((shape, index) => {
    const text = shape.make(madeUp(shape, index + 1));
    // Not the last one, which has a stack.
    const around = surroundings[1 + (index % (surroundings.length - 2))];
    return [`# ${shape.name}`, scrub(text), ...(around === undefined ? [] : [scrub(around(text))])];
  });
  const left = [...lines, '# further', ...further.map((make) => scrub(make(madeUpFurther)))];
  await expect(`${left.join('\n')}\n`).toMatchFileSnapshot('secrets/left.txt');
});

describe('wherever a secret stands', () => {
  const any = fc.record({
    shape: fc.constantFrom(...shapes),
    seed: fc.integer({ min: 1, max: 1e6 }),
    around: fc.constantFrom(...surroundings),
  });

  it('no six characters of it are shown', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(any, ({ shape, seed, around }) => {
        const secret = madeUp(shape, seed);
        const text = around(shape.make(secret));
        expect(leaks(scrub(text), secret), `${shape.name}: ${text}\n-> ${scrub(text)}`).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  it('a cut does not show half of it', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        any,
        fc.integer({ min: 0, max: 2300 }),
        fc.integer({ min: 50, max: 500 }),
        (one, pad, longest) => {
          const secret = madeUp(one.shape, one.seed);
          const text = `${'lorem ipsum, '.repeat(200).slice(0, pad)}\n${one.shape.make(secret)} ${'x '.repeat(5000)}`;
          const shown = clean(text, longest);
          expect(shown.length).toBeLessThanOrEqual(longest + 1);
          expect(leaks(shown, secret), `${one.shape.name} cut at ${longest}, pad ${pad}`).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('what is scrubbed once is not changed again', () => {
    fc.assert(
      fc.property(any, ({ shape, seed, around }) => {
        const once = scrub(around(shape.make(madeUp(shape, seed))));
        expect(scrub(once)).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });
});
