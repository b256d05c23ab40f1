import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const tableOf = (page: string) => /^\| \| lifesign \|.*\n(?:\|.*\n)+/m.exec(page)?.[0] ?? '';

test('each row of the table in README is a row of the comparison page', async () => {
  const rows = tableOf(await read('README.md'))
    .trim()
    .split('\n');
  expect(rows.length).toBeGreaterThan(8);
  const page = tableOf(await read('docs/comparison.md')).split('\n');
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});

test('every row of the comparison has its evidence', async () => {
  const page = await read('docs/comparison.md');
  const evidence = await read('contributing/comparison.md');
  const rows = tableOf(page).trim().split('\n').slice(2);
  const missing = rows
    .map((row) => row.split(' | ')[0]?.slice(2).split(',')[0] ?? '')
    // Some rows share theirs, and a longer name may be shortened.
    .filter((name) => !evidence.includes(name.split(' ').slice(0, 2).join(' ')));
  expect(missing).toEqual([]);
});

test('the versions are those that were installed for the comparison', async () => {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    await read('bench/package.json'),
  );
  for (const page of [await read('README.md'), await read('docs/comparison.md')]) {
    for (const name of ['@godaddy/terminus', '@nestjs/terminus', 'lightship', '@fastify/under-pressure']) {
      expect(page).toContain(`${name} ${dependencies[name]}`);
    }
  }
});

test('the size is that of the start-up table', async () => {
  const [, startUp = ''] = (await read('contributing/performance.md')).split(
    '### start-up, above an empty process',
  );
  const cells = (text: string, name: string) =>
    (text.split('\n').find((row) => row.startsWith(`| ${name} |`)) ?? '')
      .split('|')
      .map((cell) => cell.trim());
  const names = [
    'lifesign/express',
    '@godaddy/terminus',
    '@nestjs/terminus',
    'lightship',
    '@fastify/under-pressure',
  ];
  const measured = names.map((name) => cells(startUp, name));
  const table = tableOf(await read('docs/comparison.md'));
  const megabytes = measured.map((row) => `${(Number(row[7]?.replace(',', '')) / 1024).toFixed(1)} MB`);
  expect(cells(table, 'size on disk').slice(2, 7)).toEqual(megabytes);
});
