import { expect, test } from 'vitest';
import {
  answerMutations,
  isFound,
  isFoundInLog,
  logMutations,
  missedOf,
} from '../../cli/test/broken/judge.js';
import { start } from '../../cli/test/broken/service.js';

test('verify finds every mutation, as docs/verify.md says', { timeout: 600_000 }, async () => {
  const service = await start();
  const rules = [...new Set(logMutations.flatMap(({ finds }) => finds))];
  // The right log has none.
  expect(await isFoundInLog({ name: 'none', finds: rules, spoil: (lines) => lines }, service)).toBe(false);
  const missed = [
    ...(await missedOf(answerMutations, isFound)),
    ...(await missedOf(logMutations, (mutation) => isFoundInLog(mutation, service), 1)),
  ];
  await service.close();
  expect(missed).toEqual([]);
});
