import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  answerMutations,
  isFound,
  isFoundInLog,
  logMutations,
  missedOf,
} from '../../cli/test/broken/judge.js';
import { start } from '../../cli/test/broken/service.js';

test('docs/verify.md has the share of all mutations that verify finds', { timeout: 600_000 }, async () => {
  const service = await start();
  const rules = [...new Set(logMutations.flatMap(({ finds }) => finds))];
  // The right log has none.
  expect(await isFoundInLog({ name: 'none', finds: rules, spoil: (lines) => lines }, service)).toBe(false);
  const missed = [
    ...(await missedOf(answerMutations, isFound)),
    ...(await missedOf(logMutations, (mutation) => isFoundInLog(mutation, service), 1)),
  ];
  await service.close();
  const all = answerMutations.length + logMutations.length;
  const [found, of] = [all - missed.length, all].map((count) => count.toLocaleString('en'));
  const page = readFileSync(join(import.meta.dirname, '../../docs/verify.md'), 'utf8');
  expect(missed).toEqual([]);
  expect(/[\d,]+ of [\d,]+ mutations/.exec(page)?.[0]).toBe(`${found} of ${of} mutations`);
});
