import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { chosen } from '../../whole.js';
import { workshop } from './stdout-reader.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { directory, close } = await workshop(
  new URL('../../../src/logging/stdout/stdout.ts', import.meta.url),
);
afterAll(close);
symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
writeFileSync(
  join(directory, 'logs.test.mjs'),
  `import { expect, it, vi } from 'vitest';
import { stdoutLogger } from './program.mjs';
const logger = stdoutLogger();
it('logs', async () => {
  logger.log({ logger: 'ours', level: 20, time: 1, fields: { n: 'first line' } });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  logger.log({ logger: 'ours', level: 20, time: 1, fields: { n: 'second line' } });
  const seen = String(write.mock.calls);
  write.mockRestore();
  expect(seen).toContain('second line');
});
`,
);

function runVitest(...args: string[]): string {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, FORCE_COLOR: ____, ...env } = process.env;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--root', directory, ...args],
    { env: { ...env, NO_COLOR: '1' }, encoding: 'utf8' },
  );
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

it.each(chosen(['forks', 'threads'], 'forks'))(
  'vitest: lines are on standard output, and never in the console that it shows: %s',
  (pool) => {
    const shown = runVitest('--pool', pool);
    expect(shown.match(/^\{.*first line.*\}$/gm)).toHaveLength(1);
    expect(shown).not.toContain('stdout |');
  },
);
