import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rules } from '../../src/doctor/rules/index.js';
import { inProcess } from '../run.js';

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

test('every file has a label of known rules', () => {
  const files = readdirSync(corpus, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'labels.txt')
    .map(({ parentPath, name }) => join(parentPath, name).slice(corpus.length + 1));
  expect([...labels.keys()].toSorted()).toEqual(files.toSorted());
  expect(labels.size).toBeGreaterThanOrEqual(150);
  const known = new Set(rules.map(({ id }) => id));
  expect([...labels.values()].flatMap((wrong) => [...wrong]).filter((rule) => !known.has(rule))).toEqual([]);
});

test('precision is at least 0.9 and recall at least 0.8', async () => {
  const [missed, falseAlarms]: [string[], string[]] = [[], []];
  let hits = 0;
  for (const [file, wrong] of labels) {
    const { stdout, stderr } = await inProcess(['doctor', file, '--json'], { cwd: corpus });
    expect([file, stderr]).toEqual([file, '']);
    const { findings }: { findings: { rule: string }[] } = JSON.parse(stdout);
    const found = new Set(findings.map(({ rule }) => rule));
    hits += [...found].filter((rule) => wrong.has(rule)).length;
    for (const rule of wrong) if (!found.has(rule)) missed.push(`${file}: ${rule}`);
    for (const rule of found) if (!wrong.has(rule)) falseAlarms.push(`${file}: ${rule}`);
  }
  const [precision, recall] = [hits / (hits + falseAlarms.length), hits / (hits + missed.length)];
  console.log(`${labels.size} files: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`, {
    missed,
    falseAlarms,
  });
  expect(precision).toBeGreaterThanOrEqual(0.9);
  expect(recall).toBeGreaterThanOrEqual(0.8);
}, 60_000);
