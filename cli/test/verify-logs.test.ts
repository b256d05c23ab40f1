import { execFileSync } from 'node:child_process';
import { appendFileSync, createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { JsonLogFormatter } from 'lifesign/logging';
import { Health } from 'lifesign/node';
import { listening } from '../../test/http/serving.js';
import { usualSummary } from '../../test/logging/usual-summary.js';
import { measured, terminalTricks, unprinted } from './hostile.js';
import { inProcess } from './run.js';
import { verifying } from './verifying.js';

const formatter = new JsonLogFormatter({ loggerName: 'shop' });
const summary = (rid: string) =>
  formatter.format({
    logger: 'request.summary',
    level: 20,
    time: Date.now(),
    fields: { ...usualSummary, rid },
  });
const line = summary('r1');
const second = summary('r2');
const other = formatter.format({ logger: 'health', level: 20, time: 1, fields: {}, msg: 'hello' });

async function verify(log: string) {
  const stdin = (async function* () {
    // In pieces that end anywhere; a long one in as many.
    const size = Math.max(7, Math.ceil(log.length / 1001));
    for (let at = 0; at < log.length; at += size) yield Buffer.from(log.slice(at, at + size));
  })();
  const { code, failed } = await verifying(['--logs', '-', '--strict'], { stdin });
  return { code, failed };
}

test('lines of our own formatter pass, among lines of other programs', async () => {
  const log = ['> node server.js', line, other, '', second, 'listening on 8000'].join('\n');
  expect(await verify(log)).toEqual({ code: 0, failed: [] });
});

test.each([
  ['docker logs -t', '2026-11-15T12:00:00.000000000Z '],
  ['docker compose logs -t', 'web-1  | 2026-11-15T12:00:00.000000000Z '],
  ['docker compose logs', 'shop-web-1  | '],
  ['a container runtime', '2026-11-15T12:00:00.000000000+01:00 stdout F '],
  ['journald', 'Nov 15 12:00:00 node-1 shop[123]: '],
  ['journalctl -o short-iso', '2026-11-15T12:00:00+0100 node-1 shop[123]: '],
  ['kubectl logs --prefix', '[pod/shop-5f6/web] '],
  ['docker compose logs in colours', '\u001B[36mweb-1  | \u001B[0m'],
])('lines as %s shows them', async (_name, prefix) => {
  expect(await verify(`${prefix}${line}\n${prefix}${second}`)).toEqual({ code: 0, failed: [] });
  const twice = await verify(`${prefix}${line}\n${prefix.replace('12:00:00', '12:00:01')}${line}`);
  expect(twice.failed.map(({ name }) => name)).toContain('logs.once');
});

test('a key that is written twice, and a password, which fails without --strict', async () => {
  const again = await verify(`${line}\n${line.replace('"t":', '"t":1')}`);
  expect(again.failed.map(({ name }) => name)).toContain('logs.once');
  const twice = line.replace('"EnvVersion"', '"Hostname":"other","EnvVersion"');
  const { failed } = await verify(`${twice}\n${second}`);
  expect(failed.map(({ reason }) => reason)).toEqual(['line 1: has the key "Hostname" twice']);
  const record: Line = JSON.parse(second);
  record.Fields['msg'] = 'cannot reach postgres://app:hunter2@db/app';
  const stdin = Readable.from([`${line}\n${JSON.stringify(record)}\n`]);
  const secret = await verifying(['--logs', '-'], { stdin });
  expect(secret.failed.map(({ name }) => name)).toEqual(['logs.secrets']);
});

test('rules that do not apply for the same reason are one line', async () => {
  const { stdout } = await inProcess(['verify', '--logs', '-'], { stdin: Readable.from(['hello\n']) });
  expect(stdout).toMatch(/^ {2}- \d+ rules do not apply +there is no request\.summary line$/m);
  expect(stdout.match(/there is no request\.summary line/g)).toHaveLength(1);
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

test.each<[string, string, rule: string, reason: string]>([
  ['no summary at all', other, 'found', 'none of 1 lines is a request.summary'],
  ['half a line', line.slice(0, 80), 'json', 'line 1: is not JSON ('],
  ...(
    [
      [(line) => delete line['Timestamp'], 'envelope', 'Timestamp is missing'],
      [(line) => (line['Timestamp'] = 'now'), 'envelope', 'Timestamp is "now"; it must be integer'],
      [(line) => (line['EnvVersion'] = '1.0'), 'envelope', 'EnvVersion is "1.0"; it must be "2.0"'],
      [(line) => (line['Severity'] = 9), 'envelope', 'Severity is 9; it must be at most 7'],
      [
        (line) => (line.Fields['user'] = { id: 1 }),
        'envelope',
        'Fields.user is {"id":1}; it must be string or number or boolean or null',
      ],
      [(line) => delete line.Fields['rid'], 'summary', 'Fields.rid is missing'],
      [(line) => (line.Fields['code'] = '200'), 'summary', 'Fields.code is "200"; it must be integer'],
      [(line) => (line['Severity'] = 7), 'summary', 'Severity is 7; it must be one of [3,4,6]'],
      [(line) => (line.Fields['code'] = 503), 'errno', 'errno is 0 for code 503; it must be 503'],
    ] satisfies [(record: Line) => unknown, string, string][]
  ).map(([change, rule, reason]): [string, string, string, string] => [
    reason,
    spoiled(change),
    rule,
    `line 1: ${reason}`,
  ]),
])('finds a planted defect: %s', async (_, log, rule, reason) => {
  const { code, failed } = await verify(log);
  expect(code).toBe(1);
  expect(failed.find(({ name }) => name === `logs.${rule}`)?.reason.slice(0, reason.length)).toBe(reason);
});

describe('every request that was sent has its line', () => {
  /** A service of ours, with what takes the lines of its log. */
  async function logged(write: (line: string) => unknown, ...args: Parameters<typeof verifying>) {
    const logger = {
      log: (record: Parameters<typeof formatter.format>[0]) =>
        void write(`${formatter.format(record).trimEnd()}\n`),
    };
    const health = new Health({ logger });
    health.versionCallback(() => ({ commit: 'abc' }));
    const url = await listening(createServer(health.listener((_req, res) => res.writeHead(404).end())));
    const [options, io] = args;
    const { code, failed, results } = await verifying([url, '--strict', ...options], io);
    const outcomes = Object.fromEntries(results.map(({ name, outcome }) => [name, outcome]));
    expect({ code, failed, requests: outcomes['logs.requests'], facts: outcomes['logs.facts'] }).toEqual({
      code: 0,
      failed: [],
      requests: 'passed',
      facts: 'passed',
    });
  }

  test('in the file that it logs to', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'lifesign-logs-'));
    writeFileSync(join(cwd, 'app.log'), '');
    await logged((line) => appendFileSync(join(cwd, 'app.log'), line), ['--logs', 'app.log'], { cwd });
    rmSync(cwd, { recursive: true });
  });

  test('in a log that stays open, which is read until it has them', async () => {
    const log = new PassThrough();
    await logged((line) => log.write(line), ['--logs', '-'], { stdin: log });
    // Otherwise it would keep the process.
    expect(log.destroyed).toBe(true);
  });
});

test('a log that stays open and says nothing is left, one that fails is named', async () => {
  const url = await listening(createServer((_req, res) => res.end('{}')));
  const silent = new PassThrough();
  const { results } = await verifying([url, '--logs', '-'], { stdin: silent });
  expect(results.find(({ name }) => name === 'logs.found')?.outcome).toBe('failed');
  expect(silent.destroyed).toBe(true);
  const broken = Readable.from(
    (function* () {
      yield line;
      throw new Error('no more');
    })(),
  );
  const { code, stderr } = await inProcess(['verify', url, '--logs', '-'], { stdin: broken });
  expect([code, stderr]).toEqual([2, expect.stringContaining('no more')]);
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
