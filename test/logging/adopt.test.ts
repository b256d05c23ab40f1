import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { LifesignError } from 'lifesign';
import { silent } from '../../src/core/log.js';
import { adoptLogger } from '../../src/logging/adopt.js';
import { loggerOf } from '../../src/logging/logger-option.js';
import { summary } from './own-records.js';

it('a logger of your own gets every record as it is', () => {
  const log = vi.fn();
  adoptLogger({ log }).log(summary);
  expect(log.mock.calls).toEqual([[summary]]);
  expect(log.mock.calls[0]?.[0]).toBe(summary);
});

const byDefault = { log() {} };
const read = (given: unknown, texts = false) =>
  loggerOf(given, () => byDefault, 'HEALTH_LOGGER', texts)('acme');

it('the option takes a logger, false for none, and else the default by its name', () => {
  const own = { log() {} };
  expect(read(own)).toBe(own);
  expect(read(false)).toBe(silent);
  expect(read(undefined)).toBe(byDefault);
  const make = vi.fn(() => byDefault);
  expect(loggerOf(undefined, make)('acme')).toBe(byDefault);
  expect(make.mock.calls).toEqual([['acme']]);
});

it.each([true, 'stdout', '', { info() {} }, { child() {}, info() {} }, null, 1, []])(
  '%j is refused',
  (given) => {
    expect(() => read(given)).toThrow(
      expect.objectContaining({
        code: 'LIFESIGN_OPTION_INVALID',
        message: expect.stringMatching(
          /^Option HEALTH_LOGGER is .*; it must be an object with a log\(record\) method, a pino/,
        ),
      }),
    );
  },
);

it('an empty text is no logger where settings come from an environment', () => {
  expect(read('', true)).toBe(byDefault);
  expect(() => read('stdout', true)).toThrow('Option HEALTH_LOGGER is "stdout"');
});

it('any value is adopted or refused with a coded error', () => {
  const methods = fc.constantFrom('log', 'warn', 'error', 'info', 'debug', 'child', 'configure', 'getChild');
  const members = fc.constantFrom('levels', 'transports', 'category', 'pino', 'localInstance', 'context');
  const shaped = fc.tuple(fc.uniqueArray(methods), fc.dictionary(members, fc.anything()));
  const given = fc.oneof(
    fc.anything(),
    shaped.map(([names, more]) => ({
      ...more,
      ...Object.fromEntries(names.map((name) => [name, () => {}])),
    })),
  );
  fc.assert(
    fc.property(given, (value) => {
      try {
        expect(read(value).log).toBeTypeOf('function');
      } catch (thrown) {
        if (!(thrown instanceof LifesignError)) throw thrown;
        expect(thrown.code).toBe('LIFESIGN_OPTION_INVALID');
      }
    }),
    { numRuns: 1000 },
  );
});
