import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checks, Health } from 'lifesign/node';
import { JsonLogFormatter } from 'lifesign/logging';
import { start } from './broken/service.js';
import { lifesign } from '../../test/command/run.js';
import { lifesignCli } from './run.js';
import { type Result, verifying } from './verifying.js';
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

test('probe: what the page shows for a file that is too old or missing', async () => {
  const file = join(cwd, 'healthy');
  const shown = async () => {
    const { code, stderr } = await lifesign(['probe', '--file', file]);
    expect(code).toBe(1);
    return stderr.replace(file, '/tmp/healthy');
  };
  expect(page).toContain(`\n${await shown()}`);
  writeFileSync(file, '');
  const then = Date.now() / 1000 - 94;
  utimesSync(file, then, then);
  expect(page).toContain(`\n${(await shown()).replace(/9\d s/, '94 s')}`);
});

/** Every rule, and the heading that explains it. */
let rules: readonly Result[];
let kinds: readonly string[];
beforeAll(async () => {
  const service = await start();
  const all = ['--probes', '--idle', '1ms', '--logs', 'app.log'];
  ({ results: rules } = await verifying([service.url, ...all], { cwd }));
  await service.close();
  kinds = [...new Set(rules.map(({ docs }) => docs.replace('lifesign-cli explain ', '')))];
});

test('verify: each rule has a heading with who demands it, and a fix for Node, Python and Go', () => {
  const explained = readFileSync(join(import.meta.dirname, '../../docs/verify.md'), 'utf8');
  const sections = new Map(
    explained
      .split(/^#{2,3} /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')), section]),
  );
  for (const { name, demand, reference, docs } of rules) {
    const section = sections.get(docs.replace('lifesign-cli explain ', '')) ?? '';
    expect([name, section]).toEqual([name, expect.stringContaining(demand)]);
    if (demand === 'must') expect([name, section]).toEqual([name, expect.stringContaining(`(${reference})`)]);
    else expect(reference).not.toContain('contract.md#');
    expect([name, section]).toEqual([
      name,
      expect.stringMatching(/^(?:Node: .+ Python: .+ Go: .+|Any language: .+)$/m),
    ]);
  }
  const headings = [...explained.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);
  expect(headings.toSorted()).toEqual(kinds.toSorted());
});

test('verify: each section of the contract that a rule names is a heading of that page', () => {
  const contract = readFileSync(join(import.meta.dirname, '../../docs/contract.md'), 'utf8');
  const headings = Array.from(contract.matchAll(/^#{2,3} (.+)$/gm), ([, heading = '']) => heading);
  const anchors = new Set(
    headings.map(
      (heading) =>
        `contract.md#${heading
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, '')
          .replaceAll(' ', '-')}`,
    ),
  );
  const named = rules.filter(({ reference }) => reference.startsWith('contract.md#'));
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter(({ reference }) => !anchors.has(reference))).toEqual([]);
});
