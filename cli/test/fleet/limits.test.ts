import { expect, test, vi } from 'vitest';
import { measured } from '../hostile.js';
import { inProcess } from '../run.js';
import { answering, fakePrometheus, pointsOf } from './fake.js';
import { shop } from './fleets.js';

const vector = (result: string) => `{"status":"success","data":{"resultType":"vector","result":[${result}]}}`;
const series = '{"metric":{"job":"a","instance":"b"},"value":[1,"1"]}';

test.each([
  ['5 MB of brackets', '['.repeat(5_000_000), 'sent JSON that is nested deeper than 20 levels'],
  ['empty lists', vector(`${'[],'.repeat(1_500_000)}[]`), 'sent more than 120,000 series or 32 MiB'],
  [
    '60,000 series for each query',
    vector(`${`${series},`.repeat(60_000)}${series}`),
    'sent more than 120,000 series',
  ],
  [
    '12 MB for each query',
    `${vector('')}${' '.repeat(12_000_000)}`,
    'sent more than 120,000 series or 32 MiB',
  ],
])('%s: a sentence and bounded memory', async (_, body, sentence) => {
  const { url } = await fakePrometheus((_req, res) =>
    res.writeHead(200, { 'Content-Type': 'application/json' }).end(body),
  );
  const { code, stderr, megabytes } = await measured(['fleet', '--prometheus', url, '--timeout', '30s']);
  expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
  expect(megabytes).toBeLessThan(250);
});

test('the time to read the answers counts, too', async () => {
  const { url } = await fakePrometheus(answering(pointsOf(shop)));
  const { parse } = JSON;
  const slow = vi.spyOn(JSON, 'parse').mockImplementation((text) => {
    const until = text.startsWith('{"status":"success"') ? performance.now() + 2100 : 0;
    while (performance.now() < until);
    return parse(text);
  });
  const { code, stderr } = await inProcess(['fleet', '--prometheus', url, '--timeout', '2s']);
  slow.mockRestore();
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /(?:sent more than can be read|did not answer) within 2000 ms\. Use --timeout to wait longer\./,
    ),
  ]);
});

test('many instances of one address are told apart by their labels without comparing all with all', async () => {
  const many = Array.from({ length: 5000 }, (_, index) => ({
    job: 'shop',
    instance: '10.0.0.1:80',
    labels: { pod: `pod-${index}` },
    version: `1.${index % 2}`,
    commit: '',
    started: 60,
  }));
  const { url } = await fakePrometheus(answering(pointsOf(many)));
  const { stdout } = await inProcess(['fleet', '--prometheus', url, '--json', '--timeout', '60s']);
  const { services } = JSON.parse(stdout);
  expect(services[0].instances).toHaveLength(5000);
  for (const { name, build } of services[0].instances) {
    const [, index] = /pod=pod-(\d+)/.exec(name) ?? [];
    expect(build.version).toBe(`1.${Number(index) % 2}`);
  }
});
