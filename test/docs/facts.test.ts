// Facts that pages repeat from the code: orders, lists and defaults in words.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Health } from 'lifesign/fetch';
import { Health as NestHealth } from 'lifesign/nestjs';
import { Health as NodeHealth } from 'lifesign/node';
import { Health as WorkerHealth } from 'lifesign/worker';
import { expect, test } from 'vitest';
import { register, spanId, spanOf, traceId } from '../core/request/otel-globals.js';
import { pages, snippetsOf } from '../examples/snippets.js';
import { collect, listening, until } from '../http/serving.js';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const quoted = (text: string, mark: string) =>
  Array.from(text.matchAll(new RegExp(`${mark}([\\w.]+)${mark}`, 'g')), ([, name = '']) => name);

test('docs/contract.md has the fields of a summary in the order of a line', async () => {
  const { logger, summaries } = collect();
  // Everything at once: a response that was cut, in a process with OpenTelemetry, with the query and fields of its own.
  register({ version: '1.9.0', context: { active: () => ({ getValue: () => spanOf(traceId, spanId) }) } });
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('part', () => response.destroy());
  });
  const summary = { querystring: true, fields: () => ({ own: 1 }) };
  new NodeHealth(server, { logger, summary });
  const origin = await listening(server);
  await expect(fetch(`${origin}/?a=1`).then((response) => response.text())).rejects.toThrow();
  await until(() => summaries().length === 1);
  const [, sentence = ''] =
    /^The fields, in this order: (.*?), your own fields/m.exec(await read('docs/contract.md')) ?? [];
  expect(Object.keys(summaries()[0]?.fields ?? {})).toEqual([...quoted(sentence, '`'), 'own']);
});

test('docs/contract.md has every source of a signal', async () => {
  const [, sources = ''] =
    /type RunSource = (.*?);/.exec(await read('src/core/heartbeat/heartbeat.ts')) ?? [];
  const [, named = ''] = /`source` is (.*?)\. Listen/.exec(await read('docs/contract.md')) ?? [];
  expect(quoted(named, "'")).toEqual(quoted(sources, "'"));
});

test('docs/frameworks.md lists every option that edge workers refuse', async () => {
  const source = await read('src/profiles/platform.edge.ts');
  const [, absent = ''] = /const absent = \[(.*?)\]/s.exec(source) ?? [];
  const [, row = ''] = /^\| the options (.*?) \| omit them/m.exec(await read('docs/frameworks.md')) ?? [];
  expect(quoted(absent, "'").length).toBeGreaterThan(4);
  expect(quoted(row, '`')).toEqual(expect.arrayContaining(quoted(absent, "'")));
});

test.each(['docs/nestjs.md', 'docs/adonisjs.md'])('%s: a failed database is an error', async (page) => {
  expect(await read(page)).toContain('a failed database is `500 {"status":"error"}`');
});

test('docs/workers.md has the time that jobs have by default', async () => {
  const [, milliseconds = ''] = /\bworker: (\d+)\b/.exec(await read('src/http/drain/ending.ts')) ?? [];
  expect(await read('docs/workers.md')).toContain(
    `until ${Number(milliseconds) / 1000} s after the signal by default`,
  );
});

test('docs/security.md has the default of details for both styles', async () => {
  const page = await read('docs/security.md');
  const styleOf = { true: 'extension-style frameworks', false: 'NestJS, AdonisJS' };
  for (const [value, style] of Object.entries(styleOf)) {
    expect(page).toMatch(new RegExp(`^\\| \`details: ${value}\`.*\\| ${style} \\|$`, 'm'));
  }
  expect(new Health(undefined, { logger: false }).options.details).toBe(true);
  const nest = new NestHealth({ BASE_DIR: import.meta.dirname, logger: false });
  expect(nest.options.details).toBe(false);
  nest.close();
});

test('docs/workers.md names the option that a worker refuses', async () => {
  expect(await read('docs/workers.md')).toContain('but not `healthPort` and `healthPortOnly`');
  const given: object = { healthPort: 9000 };
  expect(() => new WorkerHealth(given)).toThrow('Option healthPort is 9000; it must be omitted in a worker');
});

test('each check in the pages that fetches looks at the status: fetch does not throw for a 500', async () => {
  const fetching: string[] = [];
  for (const page of await pages()) {
    for (const { place, code } of await snippetsOf(page)) {
      if (!/\bawait fetch\([^)]*signal/.test(code)) continue;
      fetching.push(place);
      expect([place, /\b(?:ok|status)\b/.test(code)]).toEqual([place, true]);
    }
  }
  expect(fetching.length).toBeGreaterThan(1);
});

test('each command of npm that the pages name exists, and no page has a placeholder', async () => {
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
  for (const page of await pages()) {
    const text = await read(page);
    const named = Array.from(
      text.matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g),
      ([, name = '']) => name,
    );
    expect([page, named.filter((name) => !Object.hasOwn(scripts, name))]).toEqual([page, []]);
    expect([page, /\bOWNER\b|\bTODO\b/.exec(text)?.[0]]).toEqual([page, undefined]);
  }
});
