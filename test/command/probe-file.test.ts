import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { fileOf, judgeFile } from '../../src/command/probe-file.js';

const cwd = mkdtempSync(join(tmpdir(), 'lifesign-probe-file-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const usual = { HEALTH_FILE: '/tmp/healthy' };

test.each<[what: string, Parameters<typeof fileOf>, string | undefined]>([
  ['the file given', [{ file: '/tmp/a' }, undefined, usual], '/tmp/a'],
  ['the file given, with a time', [{ file: '/tmp/a', 'max-age': '5s' }, undefined, {}], '/tmp/a'],
  ['the file of the variable', [{}, undefined, usual], '/tmp/healthy'],
  ['the file of the variable, with a time', [{ 'max-age': '5s' }, undefined, usual], '/tmp/healthy'],
  ['nothing', [{}, undefined, {}], undefined],
  ['an empty variable', [{}, undefined, { HEALTH_FILE: '' }], undefined],
  ['a URL', [{}, 'http://localhost', usual], undefined],
  ['a port', [{ port: '8000' }, undefined, usual], undefined],
  ['a path', [{ path: '/x' }, undefined, usual], undefined],
  ['a socket', [{ socket: '/tmp/s' }, undefined, usual], undefined],
  ['TLS without a check', [{ insecure: true }, undefined, usual], undefined],
  ['TLS with its check', [{ insecure: false }, undefined, usual], '/tmp/healthy'],
  ['a service that has a socket too', [{}, undefined, { ...usual, HEALTH_SOCKET: '/tmp/s' }], undefined],
])('the file to look at: %s', (_what, given, file) => {
  expect(fileOf(...given)).toBe(file);
});

test.each<[Parameters<typeof fileOf>, string]>([
  [[{ file: '' }, undefined, usual], '--file is empty; it must be the path of a file'],
  [[{ file: 'x' }, 'http://localhost', {}], '--file and a URL were given; write one of them'],
  [[{ file: 'x', path: '/' }, undefined, {}], '--file and --path were given; write one of them'],
  [[{ file: 'x', port: '1' }, undefined, {}], '--file and --port were given; write one of them'],
  [[{ file: 'x', socket: 'y' }, undefined, {}], '--file and --socket were given; write one of them'],
  [[{ file: 'x', insecure: true }, undefined, {}], '--file and --insecure were given; write one of them'],
  [[{ 'max-age': '5s' }, undefined, {}], '--max-age applies to a file; add --file FILE'],
  [[{ 'max-age': '5s' }, 'http://localhost', usual], '--max-age applies to a file; add --file FILE'],
])('two things at once: %j', (given, message) => {
  expect(() => fileOf(...given)).toThrow(new Error(message));
});

test('a file is good for as long as it is allowed to be old, in both directions of the clock', () => {
  const file = join(cwd, 'healthy');
  writeFileSync(file, '');
  const touched = statSync(file).mtimeMs;
  const times = fc.integer({ min: 1, max: 1e9 });
  fc.assert(
    fc.property(times, fc.integer({ min: -1e9, max: 1e9 }), (maxAge, age) => {
      const { ok, line } = judgeFile(file, maxAge, touched + age);
      expect(ok).toBe(Math.abs(age) <= maxAge);
      expect(line.includes(age < 0 ? ' in the future' : ' ago')).toBe(true);
      expect(line.includes('the clock was set back')).toBe(!ok && age < 0);
      expect(line.includes('the worker is unhealthy or stuck')).toBe(!ok && age > 0);
    }),
  );
  expect(judgeFile(file, 30_000, touched + 9999).line).toBe(`${file} was touched 9999 ms ago`);
  expect(judgeFile(file, 30_000, touched + 10_000).line).toBe(`${file} was touched 10 s ago`);
});

test('what is not a file, is not there or cannot be read is not healthy', () => {
  writeFileSync(join(cwd, 'plain'), '');
  const judged = (path: string) => judgeFile(path, 1e9, Date.now());
  const gone = 'does not exist: the worker has not been healthy yet, or has exited';
  for (const [path, why] of [
    [cwd, 'is a directory'],
    ['/dev/null', 'is not a regular file'],
    [join(cwd, 'missing'), gone],
    [join(cwd, 'plain/below'), gone],
    [`/${'x'.repeat(5000)}`, 'cannot be read (ENAMETOOLONG)'],
    ['nul\0byte', 'cannot be read (ERR_INVALID_ARG_VALUE)'],
  ] as const) {
    expect(judged(path)).toEqual({ ok: false, line: `${path} ${why}` });
  }
});
