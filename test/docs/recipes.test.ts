// The recipes in CONTRIBUTING for a new check and a new client: each step that is left out fails here, or where the recipe says, with the file that lacks it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as checks from 'lifesign/checks';

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

const tests = ['test/checks', 'test/hosts/consumers']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { encoding: 'utf8', recursive: folder === 'test/checks' }).map((name) =>
      join(folder, name),
    ),
  )
  .filter((name) => name.endsWith('.ts'))
  .map(read)
  .join('\n');

test.each(factories)('checks.%s has every part of the recipe', (name) => {
  const missing: string[] = [];
  if (!new RegExp(`checks\\.${name}\\b`).test(read('docs/checks.md'))) missing.push('docs/checks.md: a row');
  if (!new RegExp(`\\b${name}\\b`).test(tests)) missing.push('test/checks: a test');
  const source = read(sourceOf(name));
  const [, comment = ''] =
    new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*export (?:async )?(?:function|const) ${name}\\b`).exec(
      source,
    ) ?? [];
  if (!comment.includes('@example')) missing.push(`${sourceOf(name)}: an @example of ${name}`);
  const exported = read('src/checks/factories.ts');
  for (const [, type = ''] of source.matchAll(/^export interface (\w+Options)\b/gm)) {
    if (!new RegExp(`\\b${type}\\b`).test(exported)) missing.push(`src/checks/factories.ts: type ${type}`);
  }
  expect(missing).toEqual([]);
});

test('every factory of src/checks is exported from src/checks/factories.ts', () => {
  const files = readdirSync(join(root, 'src/checks'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  // An example shows how users call it.
  const shown = /@example(?:(?!\*\/)[\s\S])*\*\/\s*export (?:async )?(?:function|const) (\w+)/g;
  const found = files.flatMap((file) =>
    Array.from(read(join('src/checks', file)).matchAll(shown), ([, name = '']) => ({ file, name })),
  );
  expect(found.length).toBeGreaterThan(14);
  const missing = found
    .filter(({ name }) => !factories.includes(name))
    .map(({ file, name }) => `src/checks/factories.ts: ${name} of src/checks/${file}`);
  expect(missing).toEqual([]);
});

/** The clients that each factory names where it refuses something else. */
const clients = {
  broker: namesIn(() => checks.checkBrokerConnected({} as never)),
  consumer: namesIn(() => checks.progress({ consumer: {} as never, stalledAfter: 1 })),
  db: namesIn(() => checks.checkDatabaseConnected({} as never)),
  migrations: namesIn(() => checks.checkMigrationsApplied({} as never)),
  redis: namesIn(() => checks.checkRedisConnected({} as never)),
};

function namesIn(refused: () => unknown): readonly string[] {
  try {
    refused();
  } catch (thrown) {
    const [, names = ''] = /Supported clients: (.*?)\. For anything else/.exec(String(thrown)) ?? [];
    return names.split(', ').filter((name) => !name.startsWith('a function that returns'));
  }
  throw new Error('Nothing was refused');
}

/** What a client is called: `Drizzle { db, migrationsFolder }` is Drizzle, @valkey/valkey-glide may lack its scope. */
const calledBy = (name: string) => (name.split(' ')[0] ?? name).toLowerCase().replace(/^@\w+\/(?=\w+-)/, '');

const pages = `${read('docs/checks.md')}\n${read('docs/workers.md')}`.toLowerCase();

describe.each(Object.entries(clients))('each client of %s', (_list, names) => {
  // The last one of brokers is a function.
  const packages = names.filter((name) => !name.startsWith('a function'));
  // As a word of its own: pg is not in PgBouncer.
  const isIn = (text: string, name: string) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text);
  const absentIn = (text: string) => packages.filter((name) => !isIn(text, calledBy(name)));

  test('is named in docs/checks.md or docs/workers.md', () => {
    expect(absentIn(pages), 'docs/checks.md and docs/workers.md lack').toEqual([]);
  });

  test('has a test in test/checks', () => {
    expect(absentIn(tests.toLowerCase()), 'test/checks lacks').toEqual([]);
  });
});
