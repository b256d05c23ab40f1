import { spawnSync } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';
import { workshop } from './stdout-reader.js';

const { program, close } = await workshop(new URL('stderr-child.ts', import.meta.url));
afterAll(close);

const run = (to: string, variable: string) => {
  const env = { ...process.env, HEALTH_LOG_TO: variable, NODE_ENV: 'production' };
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, to], { env, encoding: 'utf8' });
  return { stdout: stdout.split('\n').filter(Boolean), stderr: stderr.split('\n').filter(Boolean), status };
};

it.each([
  ['the variable', '', 'stderr'],
  ['the option', 'stderr', ''],
  ['the option, against the variable', 'stderr', 'stdout'],
])('%s sends every line to standard error, and nothing else is on standard output', (_by, to, variable) => {
  const { stdout, stderr, status } = run(to, variable);
  expect(status).toBe(0);
  expect(stdout).toEqual(['{"jsonrpc":"2.0"}']);
  expect(stderr.map((line) => (JSON.parse(line) as { Fields: { n: number } }).Fields.n)).toEqual(
    Array.from({ length: 500 }, (_, n) => n),
  );
});

it('lines are on standard output otherwise', () => {
  expect(run('', '').stdout).toHaveLength(501);
});

it('a wrong variable is refused and says what it may be', () => {
  const { stderr, status } = run('', 'stdlog');
  expect(status).toBe(1);
  expect(stderr.join('\n')).toContain(`HEALTH_LOG_TO is "stdlog"; it must be 'stdout' or 'stderr'`);
});
