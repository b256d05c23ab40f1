import { inspect } from 'node:util';
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
      expect(Object.entries(inCapitals(Object.fromEntries(given))).toSorted()).toEqual(wanted.toSorted());
      for (const name of names) {
        const both = { [name]: 1, [variableOf(name)]: 2 };
        const message = `omitted when ${variableOf(name)} is set. They are two names for one setting.`;
        expect(() => inCapitals(both)).toThrow(message);
        const one: object = inCapitals({ ...both, [name]: undefined });
        expect(one).toEqual({ [variableOf(name)]: 2 });
      }
    }),
    { numRuns: 50 },
  );
});

test('baseDir and debug are BASE_DIR and DEBUG; what is not an object stays as it is', () => {
  expect(inCapitals({ baseDir: '/', debug: false })).toMatchObject({ BASE_DIR: '/', DEBUG: false });
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
  expect(() => made({ failLevl: 'error' })).toThrow('Unknown option "failLevl".');
  expect(() => made({ healthPort: 0, HEALTH_PORT: 0 })).toThrow('They are two names for one setting.');
});

/** The error of such settings at start. */
async function refusal(given: Readonly<Record<string, unknown>>): Promise<unknown> {
  try {
    // As AdonisJS does: a second time, and a copy.
    const health = new SettingsHealth({ BASE_DIR: '', ...inCapitals(inCapitals({ ...given })) });
    health.close();
    await health.load({ clients: async () => ({}), adopt: async () => undefined });
    health.requireKnownChecks();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('an error names each setting as it was written', async () => {
  const invalid = {
    ...Object.fromEntries(options.map((name) => [name, Symbol('wrong')])),
    baseDir: 5,
    debug: 5,
  };
  const wrong: Readonly<Record<string, unknown>> = {
    ...invalid,
    versionCallback: './nowhere.js.version',
    checks: ['./nowhere.js.check'],
    checkOptions: { missing: { timeout: 5 } },
  };
  const camel = Object.keys(wrong).filter(
    (name) => !['versionPath', 'details', 'db', 'redis'].includes(name),
  );
  const capital = (name: string) => ({ baseDir: 'BASE_DIR', debug: 'DEBUG' })[name] ?? variableOf(name);
  for (const name of camel) {
    const base = { baseDir: tmpdir(), checks: [], failLevel: 'error', [name]: wrong[name] };
    const error = await refusal(base);
    expect(error, name).toMatchObject({ code: expect.stringMatching(/^LIFESIGN_/) });
    // The stack has the message too: that is what Node prints.
    expect(inspect(error)).toMatch(new RegExp(`\\b${name}\\b`));
    expect(inspect(error).replace(/Known options.*/, '')).not.toMatch(
      new RegExp(`\\b${capital(name)}\\b(?!:)`),
    );

    const capitals = Object.fromEntries(Object.entries(base).map(([each, value]) => [capital(each), value]));
    expect(inspect(await refusal(capitals))).toContain(capital(name));
  }
});
