import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sourcesOf } from '../src/doctor/files.js';
import type { Io } from '../../src/command/io.js';
import { linesOf } from '../src/verify/lines.js';
import { fromManifest } from '../../src/command/version/manifest.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'lifesign-files-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
const io = (...chunks: readonly (string | Uint8Array)[]): Io => ({
  stdout: { write: () => {} },
  stderr: { write: () => {} },
  stdin: (async function* () {
    yield* chunks;
  })(),
  env: {},
  cwd,
});

describe('what doctor reads', () => {
  test('of a folder what may be of a kind, without what others made', async () => {
    for (const folder of ['a', 'node_modules', '.git']) mkdirSync(join(cwd, folder));
    const files = [
      'a/web.yaml',
      'a/notes.md',
      'node_modules/x.yaml',
      '.git/y.json',
      'Dockerfile',
      'job.nomad',
    ];
    for (const name of files) write(name, name);
    const found = await sourcesOf(['.'], io());
    expect(found.map(({ name, named }) => [name, named])).toEqual([
      ['a/web.yaml', false],
      ['Dockerfile', false],
      ['job.nomad', false],
    ]);
    expect(await sourcesOf(['a/notes.md', '-'], io('x', Buffer.from('y')))).toEqual([
      { name: 'a/notes.md', text: 'a/notes.md', named: true },
      { name: 'standard input', text: 'xy', named: true },
    ]);
  });

  test('nothing that is too large, and no more files than a person has', async () => {
    const megabyte = Buffer.alloc(2 ** 20);
    const flood = io(...Array.from({ length: 17 }, () => megabyte));
    await expect(sourcesOf(['-'], flood)).rejects.toThrow(/Standard input .*larger than 16777216 bytes/);
    write('large.yaml', '');
    truncateSync(join(cwd, 'large.yaml'), 16 * 2 ** 20 + 1);
    await expect(sourcesOf(['large.yaml'], io())).rejects.toThrow(/large\.yaml .*larger than 16777216 bytes/);
    rmSync(join(cwd, 'large.yaml'));
    for (let index = 0; index <= 2000; index += 1) write(`${index}.yaml`, '');
    await expect(sourcesOf(['.'], io())).rejects.toThrow(/more than 2000 files/);
  });
});

test.each([
  ['{"version":"1.2.3"}', { version: '1.2.3' }],
  ['{"version":7}', {}],
  ['{}', {}],
  ['[]', {}],
  ['null', {}],
  ['7', {}],
  ['{', {}],
  [`{"version":"1","x":"${'x'.repeat(2 ** 20)}"}`, {}],
])('the version of a package.json', async (text, identity) => {
  write('package.json', text);
  expect(await fromManifest(cwd)).toEqual(identity);
});

test('a package.json that is a folder, or not there, has no version', async () => {
  expect(await fromManifest(cwd)).toEqual({});
  mkdirSync(join(cwd, 'package.json'));
  expect(await fromManifest(cwd)).toEqual({});
});

test('lines of a log: one that is too long is cut, however it comes, and one without an end is none', async () => {
  const read = async (...chunks: string[]) => {
    const found = [];
    for await (const { text, tooLong } of linesOf(io(...chunks).stdin)) found.push([text.length, tooLong]);
    return found;
  };
  const [whole, most] = ['x'.repeat(2 ** 20 + 1), 'y'.repeat(2 ** 20)];
  const [long, ...others] = await read(`${whole}\nshort\n${most}\n`);
  expect([long?.[1], others]).toEqual([
    true,
    [
      [5, false],
      [2 ** 20, false],
    ],
  ]);
  const [parts] = await read(whole.slice(0, 100), whole.slice(100), '\n');
  expect(parts?.[1]).toBe(true);
  expect(Number(long?.[0])).toBeLessThan(2 ** 20);
  const endless = Array.from({ length: 80 }, () => most);
  await expect(read(...endless)).rejects.toThrow('so this is not a log');
});
