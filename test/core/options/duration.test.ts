import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as checks from 'lifesign/checks';
import { milliseconds } from '../../../src/core/options/rules.js';
import { makeHealth } from '../make-health.js';

afterEach(() => vi.unstubAllEnvs());

const sizes = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const unit = fc.constantFrom(...(Object.keys(sizes) as (keyof typeof sizes)[]));

test('a text is its number times its unit', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.nat(999), unit, (whole, part, name) => {
      expect(milliseconds(`${whole}${name}`)).toBe(whole * sizes[name]);
      const fraction = Number(`${whole}.${part}`);
      expect(milliseconds(` ${whole}.${part}${name} `)).toBe(Math.round(fraction * sizes[name]));
    }),
  );
});

test('anything else is left to its rule', () => {
  const others = fc.oneof(
    fc.string().filter((text) => !/^\s*\d+(\.\d+)?(ms|[smhdw])\s*$/.test(text)),
    fc.anything().filter((value) => typeof value !== 'string'),
  );
  fc.assert(fc.property(others, (value) => Object.is(milliseconds(value), value)));
  for (const wrong of ['30', '-1s', '1e3s', '1 s', '1sec', 's', '.5s', '1.s', '٣s']) {
    expect(milliseconds(wrong)).toBe(wrong);
  }
});

/** Every option that is a time, by what docs/options.md says of its type. */
const page = readFileSync(new URL('../../../docs/options.md', import.meta.url), 'utf8');
const times = Array.from(
  page.matchAll(/^\| `([\w.]+)` \| duration[^|]*\| [^|]* \| `(\w+)`/gm),
  ([, name = '', variable = '']) => [name, variable] as const,
);

test('options are times', () => expect(times.length).toBeGreaterThan(12));

describe.each(times)('%s', (name, variable) => {
  const [feature = '', part] = name.split('.');
  const optionsWith = (value: unknown) =>
    part === undefined ? { [feature]: value } : { [feature]: { [part]: value } };
  const read = (options: object): unknown => {
    const { health } = makeHealth(options);
    // Metrics and the watchdog observe the process until they are closed.
    health.close();
    const value: unknown = Reflect.get(health.options, feature);
    return part === undefined ? value : Reflect.get(Object(value), part);
  };

  test('takes milliseconds or a text in code', () => {
    expect(read(optionsWith('90s'))).toBe(90_000);
    expect(read(optionsWith('1.5m'))).toBe(90_000);
    expect(read(optionsWith(90_000))).toBe(90_000);
    // Milliseconds or seconds: a number in quotes does not say.
    for (const wrong of ['90', '90 seconds', '30d', '-1s']) {
      expect(() => read(optionsWith(wrong))).toThrow(`Option ${name} is "${wrong}"`);
    }
  });

  test('its variable needs a unit', () => {
    const on = part === undefined ? {} : { [feature]: {} };
    for (const text of ['90s', '1.5m', '90000ms']) {
      vi.stubEnv(variable, text);
      expect(read(on)).toBe(90_000);
    }
    for (const wrong of ['90', '90 seconds']) {
      vi.stubEnv(variable, wrong);
      expect(() => read(on)).toThrow(`${variable} is "${wrong}"`);
    }
  });
});

test('times of checks take both', () => {
  const { health } = makeHealth({ checkOptions: { slow: { timeout: '2s', cacheFor: '1m' } } });
  health.check('slow', () => []);
  health.check('slower', () => [], { timeout: '3s', restartAfter: '5m' });
  expect(() => health.check('wrong', () => [], { timeout: '3' as never })).toThrow(
    'Option timeout of check wrong is "3"; it must be a text such as "30s", or in code a number from 1 to 2147483647 (milliseconds).',
  );
  checks.http('http://host', { warn: '500ms', error: '2s' });
  expect(() => checks.http('http://host', { warn: '2s', error: '1s' })).toThrow('at most error (1s)');
});
