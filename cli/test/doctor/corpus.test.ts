import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inProcess } from '../run.js';
import { faults, ruleIds } from './faults.js';

const corpus = join(import.meta.dirname, 'corpus');
const labels = new Map(
  readFileSync(join(corpus, 'labels.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [file = '', wrong = ''] = line.split(':');
      return [file, new Set(wrong.split(' ').filter(Boolean))] as const;
    }),
);

test('every file has a label, and every rule a file in which it must find something, or a planted fault', async () => {
  const files = readdirSync(corpus, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'labels.txt')
    .map(({ parentPath, name }) => join(parentPath, name).slice(corpus.length + 1));
  expect([...labels.keys()].toSorted()).toEqual(files.toSorted());
  expect(labels.size).toBeGreaterThanOrEqual(150);
  const found = new Set([...labels.values()].flatMap((wrong) => [...wrong]));
  expect([...new Set([...found, ...Object.keys(faults)])].toSorted()).toEqual((await ruleIds()).toSorted());
});

test('doctor finds what the labels say, but for what is hard, and nothing else', async () => {
  const [missed, falseAlarms]: [string[], string[]] = [[], []];
  for (const [file, wrong] of labels) {
    const { stdout, stderr } = await inProcess(['doctor', file, '--json'], { cwd: corpus });
    expect([file, stderr]).toEqual([file, '']);
    const { findings }: { findings: { rule: string }[] } = JSON.parse(stdout);
    const found = new Set(findings.map(({ rule }) => rule));
    for (const rule of wrong) if (!found.has(rule)) missed.push(`${file}: ${rule}`);
    for (const rule of found) if (!wrong.has(rule)) falseAlarms.push(`${file}: ${rule}`);
  }
  expect(falseAlarms).toEqual([]);
  expect(missed.filter((miss) => !miss.includes('/hard-'))).toEqual([]);
  expect(missed.length).toBeLessThanOrEqual(3);
}, 60_000);
