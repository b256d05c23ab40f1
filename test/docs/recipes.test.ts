// The recipes in CONTRIBUTING for a new check and a new client: each step that is left out fails here, or where the recipe says, with the file that lacks it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';
import { brokerNames } from '../../src/checks/brokers/shapes.js';
import { databaseNames } from '../../src/checks/databases/shapes.js';
import { redisNames } from '../../src/checks/key-values/shapes.js';
import { migrationNames } from '../../src/checks/migrations/shapes.js';
import * as checks from '../../src/checks/index.js';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** All but the classes of messages. */
const factories = Object.keys(checks).filter((name) => /^[a-z]/.test(name) && name !== 'isCheckMessage');

/** The source of each, by its line in src/checks/factories.ts. */
const sourceOf = (name: string) => {
  const [, path = ''] =
    new RegExp(`export \\{[^}]*\\b${name}\\b[^}]*\\} from '\\./(.+)\\.js'`).exec(
      read('src/checks/factories.ts'),
    ) ?? [];
  return `src/checks/${path}.ts`;
};

const tests = readdirSync(join(root, 'test/checks'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => read(join('test/checks', name)))
  .join('\n');

test.each(factories)('checks.%s has every part of the recipe', (name) => {
  const missing: string[] = [];
  if (!new RegExp(`\\b${name}\\b`).test(read('src/edge/checks.ts')))
    missing.push('src/edge/checks.ts: a line for edge workers');
  if (!new RegExp(`const ${name}\\b`).test(read('src/checks/on-demand.ts')))
    missing.push('src/checks/on-demand.ts: a line for the package');
  if (!new RegExp(`checks\\.${name}\\b`).test(read('docs/checks.md'))) missing.push('docs/checks.md: a row');
  if (!new RegExp(`\\b${name}\\b`).test(tests)) missing.push('test/checks: a test');
  if (!/@example/.test(read(sourceOf(name)))) missing.push(`${sourceOf(name)}: an @example`);
  expect(missing).toEqual([]);
});

// The first call of a factory loads all of them: what one does when it runs is loaded by an import().
test.each(factories)('the factory checks.%s is small', (name) => {
  const { code } = transformSync(read(sourceOf(name)), { loader: 'ts', format: 'esm', minify: true });
  expect({ file: sourceOf(name), isSmall: code.length < 2600 }).toEqual({
    file: sourceOf(name),
    isSmall: true,
  });
});

const clients = { brokerNames, databaseNames, migrationNames, redisNames };

test.each(Object.entries(clients))(
  'docs/checks.md or docs/workers.md names each client of %s',
  (_list, names) => {
    const page = `${read('docs/checks.md')}\n${read('docs/workers.md')}`.toLowerCase();
    // `Drizzle { db, migrationsFolder }` is Drizzle, with what to pass.
    const first = (name: string) => name.split(/ [({]|, |:/)[0]?.toLowerCase() ?? name;
    const words = (name: string) =>
      first(name)
        .split(/[\s/]+/)
        .filter((word) => !/^(?:a|an|and|or|pool|pools|client|clients|over|them)$/.test(word));
    const absent = names.filter((name) => !words(name).some((word) => page.includes(word)));
    expect({ 'docs/checks.md and docs/workers.md lack': absent }).toEqual({
      'docs/checks.md and docs/workers.md lack': [],
    });
  },
);
