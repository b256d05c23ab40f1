import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the sources that scripts/made.mjs makes are up to date', { timeout: 60_000 }, async () => {
  const { stderr } = await promisify(execFile)(process.execPath, ['scripts/made.mjs', '--check']);
  expect(stderr).toBe('');
});
