import { describe, expect, test } from 'vitest';
import { shown } from '../../src/core/options/errors.js';
import { notInContainer } from '../../src/profiles/settings/errors.js';
import { describe as describeThrown } from '../../src/core/scrub/scrub.js';
import { makeHealth } from './make-health.js';

describe('a value in an error', () => {
  test('is cut when it is long, and an object without a class has none', () => {
    expect(shown('x'.repeat(100))).toBe(`"${'x'.repeat(60)}…"`);
    expect(shown(Object.create(null))).toBe('a plain object');
    expect(shown(() => {})).toBe('an anonymous function');
  });

  test('what a container cannot give is named by its token, whatever was thrown', () => {
    const error = notInContainer('HEALTH_DB', Symbol('POOL'), 'nothing there\nand a stack', 'Add it.');
    expect(error.message).toContain(
      'HEALTH_DB has Symbol(POOL), which the container cannot provide: nothing there. Add it.',
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
