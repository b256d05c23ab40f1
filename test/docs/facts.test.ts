// Facts that pages repeat from the code: orders, lists and defaults in words.
import { readFile } from 'node:fs/promises';
import { Health } from 'lifesign/fetch';
import { expect, test } from 'vitest';
import { collect } from '../http/serving.js';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const quoted = (text: string, mark: string) =>
  Array.from(text.matchAll(new RegExp(`${mark}([\\w.]+)${mark}`, 'g')), ([, name = '']) => name);

test('docs/contract.md has the fields of a summary in the order of a line', async () => {
  const { logger, summaries } = collect();
  const options = { logger, summary: { querystring: true, fields: () => ({ own: 1 }) } };
  const answer = new Health(undefined, options).wrap(() => new Response('fine'));
  await (await answer(new Request('http://127.0.0.1/?a=1'))).text();
  const [, sentence = ''] =
    /^The fields, in this order: (.*?), your own fields/m.exec(await read('docs/contract.md')) ?? [];
  // A request that was cut, or a process with OpenTelemetry, has the others.
  const told = quoted(sentence, '`').filter((name) => !/^(?:cut|trace_id|span_id)$/.test(name));
  expect(Object.keys(summaries()[0]?.fields ?? {})).toEqual([...told, 'own']);
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
