import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { compiled } from '../../compiled/index.js';

const app = compiled(new URL('handler-bug.ts', import.meta.url));

function run(who: 'with' | 'without', call: string) {
  const args = [app, who, call];
  return spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
}

test.each(['ignored', 'awaited', 'caught'])(
  'a rejection of the handler that is %s ends the same with and without lifesign',
  { timeout: 150_000 },
  (call) => {
    const [without, guest] = [run('without', call), run('with', call)];
    expect(without.stderr).toContain('RangeError: bug of the user');
    expect([guest.status, guest.signal, guest.stderr]).toEqual([
      without.status,
      without.signal,
      without.stderr,
    ]);
    const summaries = guest.stdout.split('\n').filter((line) => line.includes('request.summary'));
    expect(summaries.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'bug of the user', fields: { errno: 500, code: 500, path: '/orders' } },
    ]);
  },
);
