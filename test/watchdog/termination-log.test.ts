import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { writeTermination } from '../../src/watchdog/last-words.js';

const directory = mkdtempSync(join(tmpdir(), 'lifesign-termination-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const file = join(directory, 'termination-log');

const text = fc.string({ unit: 'grapheme', maxLength: 3000 });
const others = fc.array(
  fc.string({ unit: 'grapheme', maxLength: 1500 }).map((line) => line.replaceAll('\n', '')),
  {
    maxLength: 4,
  },
);

it('whatever is said, the file has one line of it, at most 4096 bytes, and what others wrote', () => {
  fc.assert(
    fc.property(others, fc.array(text, { minLength: 1, maxLength: 3 }), (lines, words) => {
      const theirs = lines.map((line) => `${line}\n`).join('');
      fc.pre(Buffer.byteLength(theirs) <= 4096);
      writeFileSync(file, theirs);
      for (const each of words) writeTermination(file, each);
      const content = readFileSync(file);
      expect(content.length).toBeLessThanOrEqual(4096);
      const after = content.toString();
      expect(Buffer.from(after).equals(content)).toBe(true);
      expect(after.startsWith(theirs)).toBe(true);
      const own = after.slice(theirs.length);
      if (Buffer.byteLength(theirs) <= 4000) expect(own).toMatch(/^lifesign: \d{4}-[^\n]*\n$/);
      else expect(own).toMatch(/^(?:lifesign: [^\n]*\n)?$/);
      writeTermination(file, undefined);
      expect(readFileSync(file, 'utf8')).toBe(theirs);
    }),
    { numRuns: 200 },
  );
});

it('secrets are taken out', () => {
  writeFileSync(file, '');
  writeTermination(file, 'no connection to postgres://shop:hunter2@db/shop');
  expect(readFileSync(file, 'utf8')).not.toContain('hunter2');
});

it('never creates a file, follows a link, waits for a pipe, or touches what is too long', () => {
  const missing = join(directory, 'missing');
  writeTermination(missing, 'words');
  expect(existsSync(missing)).toBe(false);
  writeTermination(join(missing, 'deeper'), 'words');

  const target = join(directory, 'target');
  writeFileSync(target, 'secret');
  symlinkSync(target, join(directory, 'link'));
  writeTermination(join(directory, 'link'), 'words');
  expect(readFileSync(target, 'utf8')).toBe('secret');

  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  writeTermination(pipe, 'words');
  writeTermination(directory, 'words');
  writeTermination('/dev/null', 'words');
  writeTermination(undefined, 'words');

  const long = 'x'.repeat(5000);
  writeFileSync(file, long);
  writeTermination(file, 'words');
  expect(readFileSync(file, 'utf8')).toBe(long);
});
