import { expect, it, vi } from 'vitest';
import { createHandler, type LogRecord } from 'lifesign';
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
