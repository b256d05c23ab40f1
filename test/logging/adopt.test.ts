import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { createHandler, LifesignError, type LogRecord } from 'lifesign';
import { Warning } from 'lifesign/checks';

/** A Health that logs to this; wrong types on purpose, as in JavaScript. */
const logging = (logger: unknown) => createHandler({ logger: logger as false }).health;

it('a logger of your own gets every record as it is, false nothing', async () => {
  const log = vi.fn<(record: LogRecord) => void>();
  for (const logger of [{ log }, false]) {
    const health = logging(logger);
    health.check('storage', () => [new Warning('Slow', { id: 'a.W' })]);
    await health.heartbeat();
  }
  const record = { logger: 'health.checks', level: 30, fields: { check: 'storage' }, msg: 'a.W: Slow' };
  expect(log.mock.calls).toEqual([[expect.objectContaining(record)]]);
});

it.each([true, 'stdout', '', { info() {} }, { child() {}, info() {} }, null, 1, []])(
  '%j is refused',
  (given) => {
    expect(() => logging(given)).toThrow(expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }));
    expect(() => logging(given)).toThrow(
      /^Option logger is .*; it must be an object with a log\(record\) method, a pino or winston logger/,
    );
  },
);

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
        expect(logging(value)).toBeTypeOf('object');
      } catch (thrown) {
        if (!(thrown instanceof LifesignError)) throw thrown;
        expect(thrown.code).toBe('LIFESIGN_OPTION_INVALID');
      }
    }),
    { numRuns: 1000 },
  );
});
