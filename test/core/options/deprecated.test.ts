import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Registry } from '../../../src/core/heartbeat/registry.js';
import { codeOf } from '../../../src/core/options/deprecation.js';
import { renamed } from '../../../src/core/options/renamed.js';
import { oldVariables, variableOf } from '../../../src/core/options/read-option.js';
import { misspeltVariables } from '../../../src/core/options/variables.js';
import { shared } from '../../../src/core/shared.js';
import { SettingsHealth } from '../../../src/profiles/settings/settings-health.js';
import { makeHealth } from '../make-health.js';

const warned = shared('deprecated', () => new Set<string>());
const emitWarning = vi.spyOn(process, 'emitWarning');
const warnings = () =>
  emitWarning.mock.calls.map((call: readonly unknown[]) => ({ text: call[0], type: call[1], code: call[2] }));

beforeEach(() => {
  warned.clear();
  emitWarning.mockReset().mockImplementation(() => {});
});
afterEach(() => {
  vi.unstubAllEnvs();
  warned.clear();
});

const fields = () => ({ tenant: 'acme' });
/** A value that is not the default, and its text in a variable. */
const values: Readonly<Record<keyof typeof renamed, readonly [value: unknown, text?: string]>> = {
  pagePath: ['/ops', '/ops'],
  summaryHealthEndpoints: [0.5, '0.5'],
  summaryLogQuerystring: [true, 'true'],
  summaryIgnore: [['/metrics'], '/metrics'],
  summaryFields: [fields],
  summaryTraceback: [true, '1'],
  'probes.failAfter': [3, '3'],
  'probes.passAfter': [4, '4'],
  'check.failAfter': [3],
  'check.passAfter': [4],
  'drainOnSignals.drainDelay': [0],
  'drainOnSignals.drainTimeout': [300],
};
const names = Object.keys(values) as (keyof typeof values)[];
const flat = (path: string) => path.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

/** An object in which only this option is set: `probes.failAfter` is `{ probes: { failAfter } }`. */
const withOption = (path: string, value: unknown): Record<string, unknown> => {
  const [first = '', second] = path.split('.');
  return second === undefined ? { [first]: value } : { [first]: { [second]: value } };
};

/** The value that an option has in a Health, by its present name. */
function valueIn(given: Record<string, unknown>, now: string): unknown {
  const [feature = '', part = ''] = now.split('.');
  const { health } = makeHealth({ page: true, ...given });
  health.close();
  return Reflect.get(Object(Reflect.get(health.options, feature)), part);
}

describe.each(names.filter((name) => !/^(?:check|drainOnSignals)\./.test(name)))('%s', (old) => {
  const [number, now] = renamed[old];
  const code = codeOf(number);
  const [value, text] = values[old];

  test('still works in code, and warns once with its code and the present name', () => {
    expect(valueIn(withOption(old, value), now)).toEqual(value);
    expect(valueIn(withOption(old, value), now)).toEqual(value);
    const [feature = '', part = ''] = now.split('.');
    const instead = old.includes('.') ? part : `${feature}: { ${part} }`;
    expect(warnings()).toEqual([
      {
        text: `Option ${old} is deprecated: write ${instead}. More: npx lifesign-cli deprecations`,
        type: 'DeprecationWarning',
        code,
      },
    ]);
  });

  test('its present name does not warn', () => {
    expect(valueIn(withOption(now, value), now)).toEqual(value);
    expect(valueIn(withOption(old, undefined), now)).not.toEqual(value);
    expect(warnings()).toEqual([]);
  });

  test('is read from the options of a Health under both names, with a warning for the old one', () => {
    const { health } = makeHealth({ page: true, ...withOption(now, value) });
    health.close();
    const read = (path: string) =>
      path.split('.').reduce<unknown>((from, name) => Reflect.get(Object(from), name), health.options);
    expect(warnings()).toEqual([]);
    expect(read(old)).toEqual(value);
    expect(read(old)).toEqual(value);
    const expected = `Option ${old} is deprecated: read ${now}. More: npx lifesign-cli deprecations`;
    expect(warnings()).toEqual([{ text: expected, type: 'DeprecationWarning', code }]);
    expect(JSON.stringify(health.options)).not.toContain(`"${old.replace(/^.*\./, '')}"`);
  });

  test('both names are refused', () => {
    const [feature = '', part = ''] = now.split('.');
    const both = old.includes('.')
      ? { [feature]: { ...Object(withOption(old, value)[feature]), [part]: value } }
      : { ...withOption(old, value), ...withOption(now, value) };
    expect(() => valueIn(both, now)).toThrow(`Option ${old} is`);
    expect(() => valueIn(both, now)).toThrow('They are two names for one option');
  });

  // A function has no variable.
  if (text === undefined) return;
  test('still works as a variable and as a setting', () => {
    const on = old.includes('.') ? { [now.split('.')[0] ?? '']: true } : {};
    const variable = variableOf(flat(old));
    const isOld = variable !== variableOf(flat(now));
    vi.stubEnv(variable, text);
    expect(valueIn(on, now)).toEqual(value);
    expect(misspeltVariables()).toEqual([]);
    if (isOld) {
      const expected = `${variable} is deprecated: set ${variableOf(flat(now))}. More: npx lifesign-cli deprecations`;
      expect(warnings()).toMatchObject([{ text: expected, type: 'DeprecationWarning', code }]);
      expect([...oldVariables.keys()]).toContain(variable);
      vi.stubEnv(variableOf(flat(now)), '');
      expect(valueIn(on, now)).toEqual(value);
    }
    vi.unstubAllEnvs();
    warned.clear();
    emitWarning.mockClear();
    const base = { BASE_DIR: import.meta.dirname, HEALTH_CHECKS: [], HEALTH_PAGE: true, HEALTH_PROBES: true };
    for (const given of [value, text]) {
      const health = new SettingsHealth({ ...base, [variable]: given });
      health.close();
      const [feature = '', part = ''] = now.split('.');
      expect(Reflect.get(Object(Reflect.get(health.options, feature)), part)).toEqual(value);
    }
    expect(warnings().map((warning) => warning.code)).toEqual(isOld ? [code] : []);
    if (isOld) {
      const both = { ...base, [variable]: value, [variableOf(flat(now))]: value };
      expect(() => new SettingsHealth(both)).toThrow('They are two names for one option');
    }
  });
});

test('of an old and a new variable the new one is read, and nothing warns', () => {
  vi.stubEnv('HEALTH_PROBES_FAIL_AFTER', '3');
  vi.stubEnv('HEALTH_PROBES_FAILURE_THRESHOLD', '5');
  expect(valueIn({ probes: true }, 'probes.failureThreshold')).toBe(5);
  expect(warnings()).toEqual([]);
});

test('options of a check still work by their old names, where it is registered and by its name', () => {
  const registry = new Registry({
    cacheFor: 0,
    coalesce: false,
    checkOptions: { named: { failAfter: 3, passAfter: 4 } },
  });
  registry.add('named', () => []);
  registry.add('given', () => [], { failAfter: 3, passAfter: 4 });
  for (const check of registry.checks) {
    expect(check).toMatchObject({ failureThreshold: 3, successThreshold: 4 });
  }
  const { health } = makeHealth();
  expect(new Set(warnings().map(({ code }) => code))).toEqual(new Set(['LIFESIGN_DEP003']));
  expect(() => health.check('both', () => [], { failAfter: 3, failureThreshold: 3 })).toThrow(
    'Option failAfter of check both is 3; it must be omitted when failureThreshold is set. They are two names for one option.',
  );
  expect(() => health.check('wrong', () => [], { failAfter: 0 })).toThrow('failureThreshold of check wrong');
});

test('a page path without the page leaves it off, as before', () => {
  const { options } = makeHealth({ pagePath: '/ops' }).health;
  expect(options.page).toBeUndefined();
  expect(options.pagePath).toBeUndefined();
});

test('the docs list every old name with its code, its present name and its variable', async () => {
  const page = await readFile(new URL('../../../docs/deprecations.md', import.meta.url), 'utf8');
  for (const old of names) {
    const [number, now] = renamed[old];
    const code = codeOf(number);
    const bare = (name: string) => name.replace(/^(?:check|drainOnSignals)\./, '');
    const row = page
      .split('\n')
      .find((line) => line.startsWith(`| \`${bare(old)}\` `) && line.includes(code));
    expect([old, row]).toEqual([old, expect.stringContaining(`\`${bare(now)}\``)]);
    const variable = variableOf(flat(old));
    if (oldVariables.has(variable)) {
      expect(page).toMatch(new RegExp(`^\\| \`${variable}\` .*${code}`, 'm'));
      expect(page).toContain(`\`${variableOf(flat(now))}\``);
    }
  }
});
