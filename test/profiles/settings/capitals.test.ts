import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { features } from '../../../src/core/options/features.js';
import { coreOptions } from '../../../src/core/options/options.js';
import { variableOf } from '../../../src/core/options/read-option.js';
import { inCapitals } from '../../../src/profiles/settings/capitals.js';
import { SettingsHealth } from '../../../src/profiles/settings/settings-health.js';

const options = [...Object.keys(coreOptions), ...Object.keys(features), 'db', 'redis', 'logger', 'checks'];

test('every option has one setting, by either name and not by both', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom(...options)), fc.boolean(), (names, mixed) => {
      const isCamel = (index: number) => !mixed || index % 2 === 0;
      const given = names.map((name, index) => [isCamel(index) ? name : variableOf(name), index] as const);
      const wanted = names.map((name, index) => [variableOf(name), index] as const);
      expect(inCapitals(Object.fromEntries(given))).toEqual(Object.fromEntries(wanted));
      for (const name of names) {
        const both = { [name]: 1, [variableOf(name)]: 2 };
        const message = `omitted when ${variableOf(name)} is set. They are two names for one setting.`;
        expect(() => inCapitals(both)).toThrow(message);
        expect(inCapitals({ ...both, [name]: undefined })).toEqual({ [variableOf(name)]: 2 });
      }
    }),
    { numRuns: 50 },
  );
});

test('baseDir and debug are BASE_DIR and DEBUG; what is not an object stays as it is', () => {
  expect(inCapitals({ baseDir: '/', debug: false })).toEqual({ BASE_DIR: '/', DEBUG: false });
  expect(() => inCapitals({ baseDir: '/', BASE_DIR: '/' })).toThrow(
    expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }),
  );
  for (const value of [undefined, null, 5, 'text']) expect(inCapitals(value)).toBe(value);
});

test('a Health reads them as its settings, and refuses names that it does not know', () => {
  const made = (given: Readonly<Record<string, unknown>>) => {
    const settings = { BASE_DIR: tmpdir(), HEALTH_CHECKS: [], ...inCapitals(given) };
    const health = new SettingsHealth(settings);
    health.close();
    return health.options;
  };
  const given = { failLevel: 'error', page: { path: '/ops' }, drain: { delay: '10s' }, healthPort: 0 };
  expect(made(given)).toMatchObject({
    failLevel: 'error',
    page: { path: '/ops' },
    drain: { delay: 10_000 },
    healthPort: 0,
  });
  expect(() => made({ failLevl: 'error' })).toThrow('HEALTH_FAIL_LEVL');
  expect(() => made({ healthPort: 0, HEALTH_PORT: 0 })).toThrow('They are two names for one setting.');
});
