import { readdir, readFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { features } from '../../src/core/options/features.js';
import { type CoreOptions, coreOptions } from '../../src/core/options/options.js';
import { variableOf } from '../../src/core/options/read-option.js';
import { knownVariables } from '../../src/core/options/variables.js';
import { SettingsHealth } from '../../src/profiles/settings/settings.js';
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
function resolved(given: CoreOptions = {}): Readonly<Record<string, unknown>> {
  // The first is of the framework, not of the user.
  const { health } = makeHealth(given);
  health.close();
  const { versionFallbacks: _ours, ...ofUser } = health.options;
  return ofUser;
}
const allOn = { page: {}, summary: {}, probes: {}, watchdog: {}, metrics: {}, drain: {} };

test('the page has a row for every option, and no other', () => {
  const names = Object.entries(resolved(allOn)).flatMap(([name, value]) => {
    const parts = name in allOn && typeof value === 'object' && value !== null ? Object.keys(value) : [];
    return [name, ...parts.map((part) => `${name}.${part}`)];
  });
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
      vi.stubEnv(variableOf(option.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase())), text);
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
    const make = () => void new SettingsHealth(given);
    expect(outcome(make)).not.toBe('LIFESIGN_OPTION_UNKNOWN');
    if (setting === option) return;
    const other = () => void new SettingsHealth({ BASE_DIR: import.meta.dirname, [option]: 1 });
    expect(outcome(other)).toBe('LIFESIGN_OPTION_UNKNOWN');
  },
);

const source = new URL('../../src/', import.meta.url);
const sources = await Promise.all(
  (await readdir(source, { recursive: true }))
    .filter((file) => /\.c?ts$/.test(file))
    .map(async (file) => ({ file, text: await readFile(new URL(file, source), 'utf8') })),
);

/** The feature whose options a file declares. */
const featureIn = (text: string) =>
  /^(?: {2}name: '|export const )(\w+)(?:',| = \(\) => \(\{)$/m.exec(text)?.[1] ?? '';

/** The variables that the source reads: as options, by tables of options, or from the environment. */
const variablesRead = sources.flatMap(({ file, text }) => {
  const found = (pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name = '']) => name);
  const table = found(
    /const \w+ =[^{]* \(?\{\n((?:(?!\n(?: {2})?\}).)*)\n *\}\)? satisfies Declares</gs,
  ).join('\n');
  const feature = featureIn(text);
  const declared = Array.from(table.matchAll(/^ {2,4}(\w+): \[(.*)$/gm))
    // Functions and objects have no variable.
    .filter(([, , rule = '']) => !/^(?:functionOf|registryRule|checkOptionsByName|groupsByName)\b/.test(rule))
    .map(([, name = '']) => (feature === '' ? name : `${feature}${name[0]?.toUpperCase()}${name.slice(1)}`));
  const options = [...found(/\breadOption\(\s*[\w.?[\]]+,\s*'(\w+)'/g), ...found(/\bsetting\('(\w+)'/g)];
  const taken = found(/\{([^{}]*)\} = (?:process\.env|env|environment\(\));/g).join(' ');
  const variables = [
    ...found(/\[['"](HEALTH_[A-Z_]+)['"]\]/g),
    ...Array.from(taken.matchAll(/HEALTH_[A-Z_]+/g), ([name]) => name),
    ...[...declared, ...options]
      // Settings, which variables do not replace.
      .filter((name) => !['debug', 'logger', 'port'].includes(name))
      .map(variableOf),
  ];
  return variables.map((variable) => ({ file, variable }));
});

test('every variable that the source reads is known: none is reported as misspelled', () => {
  expect(new Set(variablesRead.map(({ variable }) => variable)).size).toBeGreaterThan(40);
  const known = knownVariables();
  const missing = variablesRead
    .filter(({ variable }) => !known.includes(variable))
    .map(({ file, variable }) => `src/${file} reads ${variable}: add it to src/core/options/variables.ts`);
  expect(missing).toEqual([]);
});

test('every known variable is read, and is on the page', () => {
  const read = new Set(variablesRead.map(({ variable }) => variable));
  const switches = new Set(Object.keys(features).map(variableOf));
  const stale = knownVariables().filter((name) => !read.has(name) && !switches.has(name));
  expect(stale, 'src/core/options/variables.ts has variables that nothing reads').toEqual([]);
  const missing = knownVariables().filter((name) => !page.includes(`\`${name}\``));
  expect(missing, 'docs/options.md has no row for').toEqual([]);
});

test('every option is used by a file outside of src/core/options', () => {
  const users = sources.filter(({ file }) => !file.startsWith('core/options/')).map(({ text }) => text);
  const parts = Object.values(features).flatMap((feature) => Object.keys(feature.parts));
  const unused = [...Object.keys(coreOptions), ...parts].filter(
    (name) => !users.some((text) => new RegExp(`[.{,] ?${name}\\b|^ *${name},$`, 'm').test(text)),
  );
  expect(unused, 'no file of src outside of src/core/options uses').toEqual([]);
});

test('every option has a test beside those of the docs and of the package', async () => {
  const folder = new URL('../', import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter(
    (file) => file.endsWith('.test.ts') && !/^(?:docs|package)\b/.test(file),
  );
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  const isTested = (feature: string, name: string) =>
    texts.some((text) => text.includes(feature) && new RegExp(`\\b${name}\\b`).test(text));
  const parts = Object.values(features).flatMap((feature) =>
    Object.keys(feature.parts).map((part) => [feature.name, part] as const),
  );
  const untested = [...Object.keys(coreOptions).map((name) => ['', name] as const), ...parts]
    .filter(([feature, name]) => !isTested(feature, name))
    .map(([feature, name]) => `${feature}${feature && '.'}${name}`);
  expect(untested, 'no file of test/core/options, or any other, tests').toEqual([]);
});

test('the defaults in the comments of the options are those of the page', () => {
  const documented = sources.flatMap(({ text }) => {
    const feature = featureIn(text);
    if (!/satisfies Declares<(?:Omit<)?\w+Options\b/.test(text)) return [];
    return Array.from(
      text.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*readonly (\w+)\?:/g),
      ([, comment = '', name = '']) => ({
        option: `${feature}${feature && '.'}${name}`,
        usual: /Default ['`]*([^\s'`]+?)['`]*[.;,]?\s*(?:\*|$|none)/.exec(comment)?.[1],
      }),
    );
  });
  const plain = documented.filter(({ usual }) => usual !== undefined);
  expect(plain.length).toBeGreaterThan(25);
  for (const { option, usual } of plain) {
    const row = options.find((each) => each.option === option);
    expect(`${option} ${row?.value.replaceAll('`', '')}`, 'docs/options.md').toBe(`${option} ${usual}`);
  }
});

test('tables on other pages give the same defaults', async () => {
  const docs = new URL('../../docs/', import.meta.url);
  const pages = (await readdir(docs)).filter((file) => file.endsWith('.md'));
  const words = (cell = '') => cell.replaceAll(/\[|\]\([^)]*\)|`/g, '');
  let compared = 0;
  for (const file of pages) {
    const text = await readFile(new URL(file, docs), 'utf8');
    for (const [, name, usual] of text.matchAll(/^\| `([\w.]+)` +\| `HEALTH_[A-Z_]+` +\| ([^|]+?) +\|/gm)) {
      const row = options.find(({ option }) => option === name);
      // Some are not options of a Health.
      if (row === undefined) continue;
      compared += 1;
      expect(words(usual), `docs/${file}, ${name}`).toBe(words(row.value));
    }
  }
  expect(compared).toBeGreaterThan(6);
});
