import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerMutations, isFound, isFoundInLog, logMutations, missedOf } from './broken/judge.js';
import { start } from './broken/service.js';

// All of them take minutes of computing: test/attack/verify-mutations.test.ts runs them, this some.
const part = <T>(all: readonly T[]) => all.filter((_one, index) => index % 56 === 0);

test('finds the mutations of the answers', { timeout: 120_000 }, async () => {
  expect(await missedOf(part(answerMutations), isFound)).toEqual([]);
});

test(
  'finds the mutations of the log, and has no objection to the right one',
  { timeout: 120_000 },
  async () => {
    const service = await start();
    const judge = (mutation: (typeof logMutations)[number]) => isFoundInLog(mutation, service);
    expect(await missedOf(part(logMutations), judge, 1)).toEqual([]);
    const all = [
      'found',
      'json',
      'envelope',
      'summary',
      'once',
      'errno',
      'severity',
      'path',
      'rid',
      'timestamp',
    ];
    const finds = [...all, 'requests', 'facts'].map((rule) => `logs.${rule}`);
    expect(await judge({ name: 'none', finds, spoil: (lines) => lines })).toBe(false);
    await service.close();
  },
);

test('docs/verify.md says how many there are', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/verify.md'), 'utf8');
  const all = answerMutations.length + logMutations.length;
  expect(/[\d,]+ of ([\d,]+) mutations/.exec(page)?.[1]).toBe(all.toLocaleString('en'));
});
