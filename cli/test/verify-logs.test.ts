import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { JsonLogFormatter } from 'lifesign/logging';
import { measured, terminalTricks, unprinted } from './hostile.js';
import { inProcess } from './run.js';

const fields = {
  errno: 0,
  agent: 'curl',
  lang: '',
  method: 'GET',
  path: '/',
  code: 200,
  uid: '',
  rid: 'r1',
  t: 3,
};
const formatter = new JsonLogFormatter({ loggerName: 'shop' });
const summary = (rid: string) =>
  formatter.format({ logger: 'request.summary', level: 20, time: Date.now(), fields: { ...fields, rid } });
const line = summary('r1');
const second = summary('r2');
const other = formatter.format({ logger: 'health', level: 20, time: 1, fields: {}, msg: 'hello' });

async function verify(log: string) {
  const stdin = (async function* () {
    // In pieces that end anywhere; a long one in as many.
    const size = Math.max(7, Math.ceil(log.length / 1001));
    for (let at = 0; at < log.length; at += size) yield Buffer.from(log.slice(at, at + size));
  })();
  const { code, stdout } = await inProcess(['verify', '--logs', '-', '--json', '--strict'], { stdin });
  const { results }: { results: { name: string; outcome: string; reason: string }[] } = JSON.parse(stdout);
  return { code, failed: results.filter(({ outcome }) => outcome === 'failed') };
}

test('lines of our own formatter pass, among lines of other programs', async () => {
  const log = ['> node server.js', line, other, '', second, 'listening on 8000'].join('\n');
  expect(await verify(log)).toEqual({ code: 0, failed: [] });
});

interface Line {
  [name: string]: unknown;
  Fields: Record<string, unknown>;
}

const spoiled = (change: (record: Line) => void) => {
  const record: Line = JSON.parse(line);
  change(record);
  return JSON.stringify(record);
};

describe('finds each planted defect', () => {
  test.each([
    ['no summary at all', other, 'logs.found', 'none of 1 lines is a request.summary'],
    ['half a line', line.slice(0, 80), 'logs.json', 'line 1: is not JSON (line 1, column'],
    [
      'no Timestamp',
      spoiled((record) => delete record['Timestamp']),
      'logs.envelope',
      'line 1: Timestamp is missing',
    ],
    [
      'a Timestamp as text',
      spoiled((record) => (record['Timestamp'] = 'now')),
      'logs.envelope',
      'line 1: Timestamp is "now"; it must be integer',
    ],
    [
      'another EnvVersion',
      spoiled((record) => (record['EnvVersion'] = '1.0')),
      'logs.envelope',
      'line 1: EnvVersion is "1.0"; it must be "2.0"',
    ],
    [
      'a severity that does not exist',
      spoiled((record) => (record['Severity'] = 9)),
      'logs.envelope',
      'line 1: Severity is 9; it must be at most 7',
    ],
    [
      'nested fields',
      spoiled((record) => (record.Fields['user'] = { id: 1 })),
      'logs.envelope',
      'line 1: Fields.user is {"id":1}; it must be string or number or boolean or null',
    ],
    [
      'a field that is missing',
      spoiled((record) => delete record.Fields['rid']),
      'logs.summary',
      'line 1: Fields.rid is missing',
    ],
    [
      'a code as text',
      spoiled((record) => (record.Fields['code'] = '200')),
      'logs.summary',
      'line 1: Fields.code is "200"; it must be integer',
    ],
    [
      'a severity that no summary has',
      spoiled((record) => (record['Severity'] = 7)),
      'logs.summary',
      'line 1: Severity is 7; it must be one of [3,4,6]',
    ],
    [
      'a failure that looks like a success',
      spoiled((record) => (record.Fields['code'] = 503)),
      'logs.errno',
      'line 1: errno is 0 for code 503; it must be 503',
    ],
  ])('%s', async (_, log, name, reason) => {
    const { code, failed } = await verify(log);
    expect(code).toBe(1);
    const found = failed.find((result) => result.name === name);
    expect(found?.reason.slice(0, reason.length)).toBe(reason);
  });
});

test('a file, and one that is not there', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'lifesign-logs-'));
  writeFileSync(join(cwd, 'app.log'), `${line}\r\n`);
  const good = await inProcess(['verify', '--logs', 'app.log'], { cwd });
  const missing = await inProcess(['verify', '--logs', 'no.log'], { cwd });
  rmSync(cwd, { recursive: true });
  expect(good.stdout).toMatch(/^logs of app\.log\n[\s\S]*11 passed, 0 failed\n$/);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('no.log cannot be read');
});

describe('whatever a log holds', () => {
  const dump = 'x'.repeat(3_000_000);

  test('a line of megabytes is passed over where it is of another program, and told where it looks like ours', async () => {
    expect(await verify([line, dump, second].join('\n'))).toEqual({ code: 0, failed: [] });
    const { code, failed } = await verify([line, `{${dump}`, second].join('\n'));
    expect(code).toBe(1);
    expect(failed).toMatchObject([{ name: 'logs.json' }]);
    expect(failed[0]?.reason).toMatch(/^line 2: has more than 1048576 characters: \{x{59}$/);
  });

  test('a value that is long or nested without end', async () => {
    const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const { failed } = await verify(line.replace('"EnvVersion":"2.0"', `"EnvVersion":${nested}`));
    expect(failed.find(({ name }) => name === 'logs.json')?.reason).toMatch(
      /^line 1: is nested deeper than 100 levels: .{60}$/,
    );
    const long = await verify(
      spoiled((record) => (record.Fields['a'.repeat(100_000)] = ['x'.repeat(500_000)])),
    );
    expect(long.failed.find(({ name }) => name === 'logs.envelope')?.reason.length).toBeLessThan(600);
  });

  test.each([
    ['a name', spoiled((record) => (record.Fields[terminalTricks] = [1]))],
    ['a value', spoiled((record) => (record['EnvVersion'] = terminalTricks))],
    ['half a line', `{${terminalTricks}`],
  ])('%s with tricks for the terminal', async (_, text) => {
    for (const args of [[], ['--json'], ['--junit', '-']]) {
      const stdin = Readable.from([`${line}\n${text}\n`]);
      const outcome = await inProcess(['verify', '--logs', '-', '--strict', ...args], { stdin });
      expect(outcome.code).toBe(1);
      expect(outcome.stdout + outcome.stderr).not.toMatch(unprinted);
    }
  });

  test('a line without end is given up, with bounded memory', async () => {
    const { code, stderr, megabytes } = await measured(['verify', '--logs', '/dev/zero']);
    expect(code).toBe(2);
    expect(stderr).toContain('/dev/zero cannot be read: Error: a line has more than 67108864 characters');
    expect(megabytes).toBeLessThan(250);
  });

  test('a named pipe is read to its end, a directory is refused', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'lifesign-logs-'));
    execFileSync('mkfifo', ['pipe'], { cwd });
    const reading = inProcess(['verify', '--logs', 'pipe'], { cwd });
    createWriteStream(join(cwd, 'pipe')).end(`${line}\n`);
    expect((await reading).stdout).toContain('11 passed');
    const directory = await inProcess(['verify', '--logs', '.'], { cwd });
    rmSync(cwd, { recursive: true });
    expect(directory).toMatchObject({ code: 2, stderr: expect.stringContaining('EISDIR') });
  });
});
