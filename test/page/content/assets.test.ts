import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('src/page/content/assets.ts is what scripts/build-page.mjs makes', { timeout: 60_000 }, async () => {
  const { stderr } = await promisify(execFile)(process.execPath, ['scripts/build-page.mjs', '--check']);
  expect(stderr).toBe('');
});
