import { readdir, readFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { HealthOptions } from 'lifesign';
import { Health as NestHealth } from 'lifesign/nestjs';
import { makeHealth } from '../core/make-health.js';

afterEach(() => vi.unstubAllEnvs());

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
function resolved(given: HealthOptions = {}): Readonly<Record<string, unknown>> {
  // The first is of the framework, not of the user.
  const { health } = makeHealth(given);
  health.close();
  const { versionFallbacks: _ours, ...ofUser } = health.options;
  return ofUser;
}
const allOn = { page: {}, summary: {}, probes: {}, watchdog: {}, metrics: {}, drain: {} };

/** Every option by its name on the page: those of features after the name of the feature. */
const names = Object.entries(resolved(allOn)).flatMap(([name, value]) => {
  const parts = name in allOn && typeof value === 'object' && value !== null ? Object.keys(value) : [];
  return [name, ...parts.map((part) => `${name}.${part}`)];
});

test('the page has a row for every option, and no other', () => {
  expect(options.map(({ option }) => option).toSorted(), 'docs/options.md').toEqual(names.toSorted());
  expect(rows).toHaveLength(options.length + clients.size);
});

test('each default is the one of the code', () => {
  // Those without a plain default have it in words.
  const inWords = new Set([
    'versionPath',
    'logger',
    'uid',
    'probes.restartAfter',
    'drain',
    'drain.delay',
    'drain.timeout',
    'drain.shutdownTimeout',
  ]);
  const off: Readonly<Record<string, unknown>> = resolved();
  const on: Readonly<Record<string, unknown>> = resolved(allOn);
  for (const { option, value } of options.filter((row) => !inWords.has(row.option))) {
    const [name = '', part] = option.split('.');
    const found = part === undefined ? off[name] : Reflect.get(Object(on[name]), part);
    const isNothing = found === undefined || JSON.stringify(found) === '[]' || JSON.stringify(found) === '{}';
    // A feature that is on has an object.
    const usual = isNothing ? 'none' : part === undefined && name in allOn ? 'true' : String(found);
    expect([option, value.replaceAll('`', '').toLowerCase()]).toEqual([option, usual.toLowerCase()]);
  }
});

test('stuckAfter is by default what its row says: at least twice busyAfter', () => {
  const row = rows.find(({ option }) => option === 'watchdog.stuckAfter');
  expect([row?.value, page]).toEqual([
    '60000',
    expect.stringContaining('the port answers 503; at least twice `busyAfter` by default'),
  ]);
  const stuckAfter = (busyAfter: '20s' | '40s') =>
    Reflect.get(Object(resolved({ watchdog: { busyAfter } })['watchdog']), 'stuckAfter');
  expect([stuckAfter('20s'), stuckAfter('40s')]).toEqual([60_000, 80_000]);
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

test.each(options.filter(({ names }) => names !== 'none'))(
  '$option is read from the variable of its row',
  ({ option, names }) => {
    const given = option.includes('.') ? allOn : {};
    const usual = outcome(() => resolved(given));
    const [variable = '', ...others] = variablesOf(names).filter((name) => name.startsWith('HEALTH_'));
    expect(others).toEqual([]);
    const outcomes = texts.map((text) => {
      vi.stubEnv(variable, text);
      return outcome(() => resolved(given));
    });
    expect([variable, outcomes.some((each) => each !== usual)]).toEqual([variable, true]);
  },
);

test.each(options.filter(({ names }) => names === 'none'))(
  '$option has no variable, as its row says',
  ({ option }) => {
    const usual = outcome(() => resolved(allOn));
    for (const text of texts) {
      vi.stubEnv(`HEALTH_${option.replaceAll(/[A-Z]/g, '_$&').replace('.', '_').toUpperCase()}`, text);
      expect(outcome(() => resolved(allOn))).toBe(usual);
    }
  },
);

test.each(rows.filter(({ option }) => !option.includes('.')))(
  '$option is a setting by its name, or by that of its row',
  ({ option, names }) => {
    const [setting = option] = /setting `(\w+)`/.exec(names)?.slice(1) ?? [];
    // The value may be refused; its name may not.
    const given = { BASE_DIR: import.meta.dirname, [setting]: 'nonsense' };
    const make = () => void new NestHealth(given);
    expect(outcome(make)).not.toBe('LIFESIGN_OPTION_UNKNOWN');
    if (setting === option) return;
    const other = () => void new NestHealth({ BASE_DIR: import.meta.dirname, [option]: 1 });
    expect(outcome(other)).toBe('LIFESIGN_OPTION_UNKNOWN');
  },
);

const source = new URL('../../src/', import.meta.url);
const sources = await Promise.all(
  (await readdir(source, { recursive: true }))
    .filter((file) => /\.c?ts$/.test(file))
    .map(async (file) => ({ file, text: await readFile(new URL(file, source), 'utf8') })),
);

test.each([...new Set(page.match(/HEALTH_[A-Z_]+/g))])('a slip in %s is in the log', (variable) => {
  const slip = `${variable}X`;
  vi.stubEnv(slip, '1');
  const { health, records } = makeHealth();
  health.close();
  expect(records.map(({ msg }) => msg)).toEqual([
    `${slip} is set, but nothing reads it. Did you mean ${variable}?`,
  ]);
});

test('every option is used by a file outside of src/core/options', () => {
  const users = sources.filter(({ file }) => !file.startsWith('core/options/')).map(({ text }) => text);
  const unused = names
    .map((name) => name.replace(/.*\./, ''))
    .filter((name) => !users.some((text) => new RegExp(`[.{,] ?${name}\\b|^ *${name},$`, 'm').test(text)));
  expect(unused, 'no file of src outside of src/core/options uses').toEqual([]);
});

test('every option has a test beside those of the docs and of the package', async () => {
  const folder = new URL('../', import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter(
    (file) => file.endsWith('.test.ts') && !/^(?:docs|package)\b/.test(file),
  );
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  const untested = names.filter((option) => {
    const [feature = '', name = feature] = option.split('.');
    return !texts.some((text) => text.includes(feature) && new RegExp(`\\b${name}\\b`).test(text));
  });
  expect(untested, 'no file of test/core/options, or any other, tests').toEqual([]);
});

test('the defaults in the comments of the options are those of the page', () => {
  const declared = sources.filter(({ file }) => /^core\/options\/(?:options|features)\.ts$/.test(file));
  const interfaces = declared.flatMap(({ text }) => [
    ...text.matchAll(/^export interface (?:Health)?(\w+)Options\b[^{]*\{\n(.*?)^\}/gms),
  ]);
  const documented = interfaces.flatMap(([, of = '', members = '']) =>
    Array.from(
      members.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*readonly (\w+)\?:/g),
      ([, comment = '', name = '']) => ({
        option: of === 'Core' ? name : `${of.toLowerCase()}.${name}`,
        usual: /Default ['`]*([^\s'`]+?)['`]*[.;,]?\s*(?:\*|$|none)/.exec(comment)?.[1],
      }),
    ),
  );
  const plain = documented.filter(({ usual }) => usual !== undefined);
  expect(plain.length).toBeGreaterThan(25);
  for (const { option, usual } of plain) {
    const row = options.find((each) => each.option === option);
    expect(`${option} ${row?.value.replaceAll('`', '')}`, 'docs/options.md').toBe(`${option} ${usual}`);
  }
});
