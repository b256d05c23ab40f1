import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { docs, lastLines, tableOf } from '../clients/table.js';
import { services } from '../services/list.js';

const root = join(import.meta.dirname, '../..');

/** Servers that no check is about. */
const tools = new Set(['haproxy', 'prometheus', 'alertmanager']);

const [, servers = ''] = docs().split('\n### Servers\n');
const rows = [
  ...(servers.split('\n### ')[0] ?? '').matchAll(/^\| ([A-Za-z][^|]*) \| ([\w-]+) \| ([\d.]+) \|$/gm),
];

test('contributing/clients.md lists the servers that the tests start, and no other', () => {
  const own = Object.entries(services).filter(([name]) => !tools.has(name));
  expect(rows.map(([, , name]) => name)).toEqual(own.map(([, { packages }]) => packages[0]));
});

/** The version of a Debian package, without epoch and revision; undefined if it is not installed. */
function installed(name: string): string | undefined {
  try {
    const text = execFileSync('dpkg-query', ['-W', '-f', '${Version}', name], { stdio: 'pipe' }).toString();
    return text.replace(/^\d+:/, '').replace(/[-~+].*$/, '') || undefined;
  } catch {
    return undefined;
  }
}

test.each(rows.map(([, , name = '', version = '']) => [name, version]))(
  'the version of %s in contributing/clients.md is the one that runs',
  (name, version) => {
    const found = installed(name);
    // Elsewhere another version runs.
    if (found === undefined) return;
    expect(`${found}.`.startsWith(`${version}.`), `${name} ${found}`).toBe(true);
  },
);

test('the table of faults in contributing/clients.md is what the last run of npm run test:clients saw', () => {
  const lines = lastLines();
  expect(lines.length).toBeGreaterThan(5);
  expect(docs()).toContain(`\n\n${tableOf(lines)}\n\n`);
});

test('the versions in the table of faults are those that are installed', () => {
  const read = (path: string): { version: string } => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const all = ['pg', 'postgres', '@prisma/client', 'drizzle-orm', 'ioredis', 'redis'].map(
    (name) => read(`node_modules/${name}/package.json`).version,
  );
  const ofHosts = ['prisma6', 'mikro7'].flatMap((host) => {
    const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
      readFileSync(join(root, `test/hosts/${host}/package.json`), 'utf8'),
    );
    return Object.values(dependencies);
  });
  const known = new Set([...all, ...ofHosts]);
  expect(lastLines().filter(({ version }) => !known.has(version))).toEqual([]);
});
