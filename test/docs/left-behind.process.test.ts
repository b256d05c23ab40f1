import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { leftBehind, ticks } from '../../scripts/left-behind.mjs';

test.skipIf(!existsSync('/proc/self/stat'))('a process that a test leaves behind is found', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'lifesign-left-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const since = ticks();
  const pid = execFileSync('sh', ['-c', 'sleep 60 >/dev/null 2>&1 & echo $!'], {
    cwd,
    encoding: 'utf8',
  }).trim();
  onTestFinished(() => void process.kill(Number(pid), 'SIGKILL'));
  expect(await leftBehind(since, 0)).toContain(`${pid} sleep 60 `);
  // Those that were there before are not of this run.
  expect(await leftBehind(ticks() + 100, 0)).toEqual([]);
});
