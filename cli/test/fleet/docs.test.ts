import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inProcess } from '../run.js';
import { answering, type Described, fakePrometheus, pointsOf } from './fake.js';
import { shop } from './fleets.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/fleet.md'), 'utf8');
const sessions = [
  ...page.matchAll(/```sh\nlifesign-cli (fleet .*)\n```\n\n```(?:text|json)\n([\s\S]*?)```/g),
].map(([, args = '', output = '']) => [args, output] as const);

/** What a query for one job finds. */
const wanted = (query: string) => {
  const [, job] = /job="(\w+)"/.exec(query) ?? [];
  return shop.filter((instance: Described) => job === undefined || instance.job === job);
};

test('the page has sessions to run', () => expect(sessions).toHaveLength(2));

test.each(sessions)('lifesign-cli %s', async (args, output) => {
  const fake = await fakePrometheus((req, res, question) => {
    const query = new URL(req.url ?? '', 'http://localhost').searchParams.get('query') ?? '';
    answering(pointsOf(wanted(query)))(req, res, question);
  });
  const { stdout } = await inProcess(args.replace('http://localhost:9090', fake.url).split(' '));
  expect(stdout.replaceAll(fake.url, 'http://localhost:9090')).toBe(output);
});

test('the page names every option', async () => {
  const { stdout } = await inProcess(['fleet', '--help']);
  const options = stdout.match(/--[a-z]+/g)?.filter((option) => option !== '--help') ?? [];
  expect(options.length).toBeGreaterThan(9);
  for (const option of new Set(options)) expect(page).toMatch(new RegExp(`^\\| \`${option}\\b`, 'm'));
});
