import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { Result } from '../src/verify/rule.js';
import { type Patience, untilQuiet } from '../src/verify/lines.js';
import { Health } from 'lifesign/node';
import { JsonLogFormatter } from 'lifesign/logging';
import { inProcess } from './run.js';

test('a log that stays open is read until it has the line of each request', async () => {
  const log = new PassThrough();
  const formatter = new JsonLogFormatter();
  const health = new Health({
    logger: { log: (record) => void log.write(`${formatter.format(record).trimEnd()}\n`) },
  });
  health.versionCallback(() => ({ commit: 'abc' }));
  const server = createServer(health.listener((_req, res) => res.writeHead(404).end()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ['verify', url, '--json', '--max-latency', '20s', '--strict', '--logs', '-'];
  const { code, stdout } = await inProcess(args, { stdin: log });
  const { results }: { results: Result[] } = JSON.parse(stdout);
  const outcomes = Object.fromEntries(results.map(({ name, outcome }) => [name, outcome]));
  expect({ code, requests: outcomes['logs.requests'] }).toEqual({ code: 0, requests: 'passed' });
  // Otherwise it would keep the process.
  expect(log.destroyed).toBe(true);
});

const soon: Patience = { quiet: 60, afterAll: 30, total: 500 };
const read = async (source: AsyncIterable<string | Uint8Array>, hasAll: () => boolean, patience = soon) => {
  const chunks: string[] = [];
  for await (const chunk of untilQuiet(source, hasAll, patience)) chunks.push(String(chunk));
  return chunks;
};

test('a stream that ends is read to its end', async () => {
  const source = (async function* () {
    yield 'a';
    yield 'b';
  })();
  expect(await read(source, () => false)).toEqual(['a', 'b']);
});

test('a stream that stays open is left when it is quiet, has said all, or never stops', async () => {
  const silent = new PassThrough();
  silent.write('a');
  expect(await read(silent, () => false)).toEqual(['a']);
  expect(silent.destroyed).toBe(true);

  const busy = new PassThrough();
  const timer = setInterval(() => busy.destroyed || busy.write('x'), 5);
  onTestFinished(() => clearInterval(timer));
  let chunks = 0;
  const count = () => (chunks += 1) > 3;
  await read(busy, count, { ...soon, total: 60_000 });
  expect(busy.destroyed).toBe(true);

  const endless = new PassThrough();
  const other = setInterval(() => endless.destroyed || endless.write('x'), 5);
  onTestFinished(() => clearInterval(other));
  await read(endless, () => false, { ...soon, quiet: 60_000 });
  expect(endless.destroyed).toBe(true);
});

test('a stream that fails says so', async () => {
  const source = new PassThrough();
  const reading = read(source, () => false);
  source.destroy(new Error('no more'));
  await expect(reading).rejects.toThrow('no more');
});
