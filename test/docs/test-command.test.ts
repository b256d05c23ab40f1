import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('CI runs exactly the test command of the README', () => {
  const command = readFileSync('.ci/run', 'utf8').trim().split('\n').at(-1) ?? '';
  expect(command).toContain('npm test');
  expect(readFileSync('README.md', 'utf8')).toContain(`\`${command}\``);
});
