import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checks, Health } from '../../src/frameworks/node.js';
import { JsonLogFormatter } from '../../src/logging/index.js';
import { start } from './broken/service.js';
import { inProcess, lifesign } from './run.js';
import { usualSummary } from '../logging/usual-summary.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8');
const sessions = [...page.matchAll(/```sh\nlifesign (.*)\n```\n\n```text\n([\s\S]*?)```/g)].map(
  ([, args = '', output = '']) => [args, output] as const,
);

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

test.each(sessions)('lifesign %s', async (args, output) => {
  const { code, stdout, stderr } = await lifesign(args.replace('8000', port).split(' '), { cwd });
  const shown = (code === 0 ? stdout : stderr).replaceAll(port, '8000').replace(/\d+ ms$/m, '3 ms');
  expect(shown).toBe(output);
});

test('verify: the page lists every rule, and no other', async () => {
  const service = await start();
  const { stdout } = await inProcess(['verify', service.url, '--logs', 'app.log', '--json'], { cwd });
  await service.close();
  const { results }: { results: { name: string }[] } = JSON.parse(stdout);
  const table = page.slice(page.indexOf('| rule |'), page.indexOf('`*` is each of'));
  const listed = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(
    ([, cell = '']) => cell.match(/[a-z*]+\.[a-z-]+|reachable/g) ?? [],
  );
  const kinds = new Set(listed);
  const general = (name: string) => (kinds.has(name) ? name : name.replace(/^\w+/, '*'));
  expect([...new Set(results.map(({ name }) => general(name)))].toSorted()).toEqual([...kinds].toSorted());
});
