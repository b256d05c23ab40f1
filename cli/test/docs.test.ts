import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checks, Health } from 'lifesign/node';
import { JsonLogFormatter } from 'lifesign/logging';
import { judgeFile } from '../../src/command/probe.js';
import { kindOf } from '../src/verify/rule.js';
import { allRules } from '../src/verify/selection.js';
import { start } from './broken/service.js';
import { lifesign } from '../../test/command/run.js';
import { inProcess, lifesignCli } from './run.js';
import { usualSummary } from '../../test/logging/usual-summary.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8');
const sessions = [
  ...page.matchAll(/```sh\n(lifesign|lifesign-cli) (.*)\n```\n\n```text\n([\s\S]*?)```/g),
].map(([, program = '', args = '', output = '']) => [program, args, output] as const);

const server = createServer();
const health = new Health(server, { logger: { log() {} } });
health.check('storage', () => [new checks.Warning('Storage is slow', { id: 'shop.W001' })]);
let cwd: string;
let port: string;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'lifesign-docs-'));
  await new Promise<void>((resolve) => server.listen(0, resolve));
  port = String((server.address() as AddressInfo).port);
  const record = { logger: 'request.summary', level: 20, time: Date.now(), fields: usualSummary } as const;
  writeFileSync(join(cwd, 'app.log'), new JsonLogFormatter().format(record));
});
afterAll(() => {
  server.close();
  rmSync(cwd, { recursive: true, force: true });
});

test('the page has sessions to run', () => expect(sessions.length).toBeGreaterThanOrEqual(4));

test.each(sessions)('%s %s', async (program, args, output) => {
  const start = program === 'lifesign' ? lifesign : lifesignCli;
  const { code, stdout, stderr } = await start(args.replace('8000', port).split(' '), { cwd });
  const shown = (code === 0 ? stdout : stderr).replaceAll(port, '8000').replace(/\d+ ms$/m, '3 ms');
  expect(shown).toBe(output);
});

test('probe: what the page shows for a file that is too old or missing', () => {
  const file = join(cwd, 'healthy');
  const missing = judgeFile(file, 30_000, Date.now());
  writeFileSync(file, '');
  const old = judgeFile(file, 30_000, statSync(file).mtimeMs + 94_000);
  for (const { ok, line } of [old, missing]) {
    expect(ok).toBe(false);
    expect(page).toContain(`\nfailed: ${line.replace(file, '/tmp/healthy')}\n`);
  }
});

const kinds = [...new Set(allRules().map(({ name }) => kindOf(name)))];

test('verify: the page lists every rule, and no other', () => {
  const table = page.slice(page.indexOf('| rules |'), page.indexOf('`*` is each of'));
  const listed = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(
    ([, cell = '']) => cell.match(/[a-z*]+\.[a-z0-9-]+|reachable|idle/g) ?? [],
  );
  expect(listed.map((name) => name.replace('*.', '')).toSorted()).toEqual(kinds.toSorted());
});

test('verify: each rule has a heading with who demands it, and a fix for Node, Python and Go', () => {
  const rules = readFileSync(join(import.meta.dirname, '../../docs/verify.md'), 'utf8');
  const sections = new Map(
    rules
      .split(/^#{2,3} /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')), section]),
  );
  for (const { name, demand, reference } of allRules()) {
    const section = sections.get(kindOf(name)) ?? '';
    expect([name, section]).toEqual([name, expect.stringContaining(demand)]);
    if (demand === 'must') expect([name, section]).toEqual([name, expect.stringContaining(`(${reference})`)]);
    else expect(reference).not.toContain('specification');
    expect([name, section]).toEqual([
      name,
      expect.stringMatching(/^(?:Node: .+ Python: .+ Go: .+|Any language: .+)$/m),
    ]);
  }
  const headings = [...rules.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);
  expect(headings.toSorted()).toEqual(kinds.toSorted());
});

test('verify: each section of the specification that a rule names is a heading of that page', () => {
  const specification = readFileSync(join(import.meta.dirname, '../../docs/specification.md'), 'utf8');
  const headings = Array.from(specification.matchAll(/^#{2,3} (.+)$/gm), ([, heading = '']) => heading);
  const anchors = new Set(
    headings.map(
      (heading) =>
        `specification.md#${heading
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, '')
          .replaceAll(' ', '-')}`,
    ),
  );
  const named = allRules().filter(({ reference }) => reference.startsWith('specification'));
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter(({ reference }) => !anchors.has(reference))).toEqual([]);
});

test('verify: a report links the heading', async () => {
  const service = await start((answer) => delete answer.headers['Vary']);
  const { stdout } = await inProcess(['verify', service.url, '--json']);
  await service.close();
  const { results }: { results: { docs: string }[] } = JSON.parse(stdout);
  const anchors = new Set(kinds.map((kind) => `docs/verify.md#${kind.replaceAll('.', '')}`));
  for (const { docs } of results) expect(anchors).toContain(docs);
});
