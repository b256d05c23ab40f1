import { readFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { CoreOptions } from '../../src/core/options/options.js';
import { SettingsHealth } from '../../src/profiles/settings/settings.js';
import { makeHealth } from '../core/make-health.js';

afterEach(() => vi.unstubAllEnvs());

const token = 'x'.repeat(40);
const page = await readFile(new URL('../../docs/options.md', import.meta.url), 'utf8');

/** The rows with an option, a type, a default and its names outside of the code. */
const rows = Array.from(
  page.matchAll(/^\| `([\w.]+)` \| [^|]+ \| ([^|]+) \| ([^|]+) \| [^|]+ \|$/gm),
  ([, option = '', value = '', names = '']) => ({ option, value, names }),
);
const clients = new Set(['db', 'redis', 'migrations', 'broker']);
const options = rows.filter(({ option }) => !clients.has(option));
const variablesOf = (names: string) => Array.from(names.matchAll(/`([A-Z_]+)`/g), ([, name = '']) => name);

/** What a Health makes of the environment; features are on, so that their options are read. */
function resolved(given: CoreOptions = {}): Readonly<Record<string, unknown>> {
  // The first is of the framework, not of the user.
  const { versionFallbacks: _ours, ...ofUser } = makeHealth(given).health.options;
  return ofUser;
}
const allOn = { probes: {}, watchdog: {}, metrics: {}, errorEndpoint: {} };

test('the page has a row for every option, and no other', () => {
  vi.stubEnv('HEALTH_ERROR_ENDPOINT_TOKEN', token);
  const names = Object.entries(resolved(allOn)).flatMap(([name, value]) => {
    const parts = name in allOn && typeof value === 'object' && value !== null ? Object.keys(value) : [];
    return [name, ...parts.map((part) => `${name}.${part}`)];
  });
  expect(options.map(({ option }) => option).toSorted()).toEqual(names.toSorted());
  expect(rows).toHaveLength(options.length + clients.size);
});

test('each default is the one of the code', () => {
  // Those without a plain default have it in words.
  const inWords = new Set(['versionPath', 'logger', 'uid', 'errorEndpoint.token', 'probes.restartAfter']);
  const off: Readonly<Record<string, unknown>> = resolved();
  vi.stubEnv('HEALTH_ERROR_ENDPOINT_TOKEN', token);
  const on: Readonly<Record<string, unknown>> = resolved(allOn);
  for (const { option, value } of options.filter((row) => !inWords.has(row.option))) {
    const [name = '', part] = option.split('.');
    const found = part === undefined ? off[name] : Reflect.get(Object(on[name]), part);
    const isNothing = found === undefined || JSON.stringify(found) === '[]' || JSON.stringify(found) === '{}';
    const usual = isNothing ? 'none' : String(found);
    expect([option, value.replaceAll('`', '').toLowerCase()]).toEqual([option, usual.toLowerCase()]);
  }
});

/** Each option differs from its default, or is refused, with at least one of these. */
const texts = [
  'true',
  'false',
  '1',
  '0',
  '4096',
  'critical',
  'checks',
  '/elsewhere',
  '{"a":["b"]}',
  '{"a":{}}',
];

/** What came of a value, to be compared: the options, or the code of the error. */
function outcome(make: () => unknown): string {
  try {
    return JSON.stringify(make(), (_, value) => (typeof value === 'function' ? String(value) : value));
  } catch (error) {
    return String(Reflect.get(Object(error), 'code'));
  }
}

const withVariable = options.filter(
  ({ option, names }) =>
    names !== 'none' && !names.includes('setting only') && option !== 'errorEndpoint.token',
);

test.each(withVariable)('$option is read from the variables of its row', ({ option, names }) => {
  vi.stubEnv('HEALTH_ERROR_ENDPOINT_TOKEN', token);
  const given = option.includes('.') ? allOn : {};
  const usual = outcome(() => resolved(given));
  const variables = variablesOf(names).filter((name) => name !== 'DEBUG' && name !== 'BASE_DIR');
  expect(variables.length).toBeGreaterThan(0);
  for (const variable of variables) {
    const outcomes = texts.map((text) => {
      vi.stubEnv(variable, text);
      return outcome(() => resolved(given));
    });
    vi.stubEnv(variable, undefined);
    expect([variable, outcomes.some((each) => each !== usual)]).toEqual([variable, true]);
  }
});

test.each(options.filter(({ names }) => names.includes('setting only')))(
  '$option has no variable, as its row says',
  ({ names }) => {
    const usual = outcome(() => resolved(allOn));
    for (const variable of variablesOf(names)) {
      for (const text of texts) {
        vi.stubEnv(variable, text);
        expect(outcome(() => resolved(allOn))).toBe(usual);
      }
    }
  },
);

test.each(rows)('$option has the settings of its row', ({ names }) => {
  const settings = variablesOf(names).filter((name) => !/DETAILS|VERSION_PATH/.test(name));
  expect(settings.length > 0).toBe(names !== 'none');
  for (const setting of settings) {
    // The value may be refused; its name may not.
    const given = {
      BASE_DIR: import.meta.dirname,
      [setting]: setting === 'BASE_DIR' ? import.meta.dirname : 'nonsense',
    };
    expect(outcome(() => void new SettingsHealth(given))).not.toBe('LIFESIGN_OPTION_UNKNOWN');
  }
});

test('every variable that the source knows is on the page', async () => {
  const source = await readFile(new URL('../../src/core/options/variables.ts', import.meta.url), 'utf8');
  const known = Array.from(source.matchAll(/^ {2}'([A-Z_]+)',$/gm), ([, name = '']) => `HEALTH_${name}`);
  expect(known.length).toBeGreaterThan(30);
  expect(known.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
