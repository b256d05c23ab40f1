import { describe, expect, test } from 'vitest';
import { adoptLogger } from '../../src/core/adopt-logger.js';
import { notInContainer, shown } from '../../src/core/options/errors.js';
import type { LogRecord } from '../../src/core/log.js';
import type { MessageLevel } from '../../src/core/heartbeat/messages.js';
import { describe as describeThrown } from '../../src/core/scrub/scrub.js';
import { makeHealth } from './make-health.js';

describe('a value in an error', () => {
  test('is cut when it is long, and an object without a class has none', () => {
    expect(shown('x'.repeat(100))).toBe(`"${'x'.repeat(60)}…"`);
    expect(shown(Object.create(null))).toBe('an object of no class');
    expect(shown(() => {})).toBe('the function (anonymous)');
  });

  test('what a container cannot give is named by its token, whatever was thrown', () => {
    const error = notInContainer('HEALTH_DB', Symbol('POOL'), 'nothing there\nand a stack', 'Add it.');
    expect(error.message).toContain(
      'HEALTH_DB has Symbol(POOL), which the container cannot give: nothing there. Add it.',
    );
    expect(error.message).not.toContain('stack');
  });
});

describe('what was thrown without a text', () => {
  test('is told by its first error or its code', () => {
    const refused = new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:5432')], '');
    expect(describeThrown(refused)).toBe('AggregateError: connect ECONNREFUSED 127.0.0.1:5432');
    expect(describeThrown(Object.assign(new Error(''), { code: 'ETIMEDOUT' }))).toBe('Error: ETIMEDOUT');
    expect(describeThrown(new Error(''))).toBe('Error: no reason given');
  });
});

const recordOf = (level: MessageLevel, error?: unknown): LogRecord => ({
  logger: 'health.checks',
  level,
  time: 1,
  fields: { check: 'storage' },
  msg: 'a.1: text',
  error,
});

describe('a logger of another library', () => {
  test('winston with levels of its own gets the usual names', () => {
    const heard: unknown[] = [];
    const winston = {
      levels: {},
      transports: [],
      configure() {},
      log: ({ level }: { level: string }) => heard.push(level),
    };
    const logger = adoptLogger(winston);
    for (const level of [10, 20, 30, 40, 50] as const) logger.log(recordOf(level));
    expect(heard).toEqual(['debug', 'info', 'warn', 'error', 'error']);
  });

  test('pino without fatal gets a critical as an error', () => {
    const heard: string[] = [];
    const note = (name: string) => () => void heard.push(name);
    const logger = adoptLogger({
      child: () => undefined,
      debug: note('debug'),
      info: note('info'),
      warn: note('warn'),
      error: note('error'),
    });
    for (const level of [10, 20, 30, 40, 50] as const) logger.log(recordOf(level));
    expect(heard).toEqual(['debug', 'info', 'warn', 'error', 'error']);
  });

  test('the loggers of NestJS get each level by its method, and an error without a stack an empty one', () => {
    const heard: unknown[][] = [];
    const note =
      (name: string) =>
      (_message: unknown, ...more: unknown[]) =>
        void heard.push([name, ...more]);
    const nest = { log: note('log'), warn: note('warn'), error: note('error'), debug: note('debug') };
    const logger = adoptLogger(nest);
    for (const level of [10, 20, 30, 50] as const) logger.log(recordOf(level));
    const thrown = new Error('gone');
    delete thrown.stack;
    logger.log(recordOf(40, thrown));
    expect(heard).toEqual([
      ['debug', 'health.checks'],
      ['log', 'health.checks'],
      ['warn', 'health.checks'],
      ['error', 'health.checks'],
      ['error', '', 'health.checks'],
    ]);
  });
});

test('a decorator on something that is no function is refused when its class is made', () => {
  const { health } = makeHealth();
  const initializers: ((this: unknown) => void)[] = [];
  const context = {
    kind: 'method',
    name: 'storage',
    addInitializer: (f: () => void) => initializers.push(f),
  };
  Reflect.apply(health.check, health, [undefined, context]);
  expect(() => initializers[0]?.call({})).toThrow(
    expect.objectContaining({ code: 'LIFESIGN_CHECK_FUNCTION' }),
  );
});
