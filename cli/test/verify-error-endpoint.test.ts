import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { Result } from '../src/verify/rule.js';
import { type Patience, untilQuiet } from '../src/verify/until-quiet.js';
import { Health } from 'lifesign/node';
import { JsonLogFormatter } from 'lifesign/logging';
import { inProcess } from './run.js';

const token = 'f3b1c2d4e5a697880123456789abcdef';
const env = { HEALTH_ERROR_ENDPOINT_TOKEN: token };

/** A service of ours that logs to a stream; `front` sees its requests first, and says whether it answered. */
async function service(front: (...args: Parameters<RequestListener>) => boolean = () => false) {
  const log = new PassThrough();
  const formatter = new JsonLogFormatter();
  const health = new Health({
    logger: { log: (record) => void log.write(`${formatter.format(record).trimEnd()}\n`) },
    errorEndpoint: { token, onError: (_error, _req, res) => res.writeHead(500).end('{"error":"internal"}') },
  });
  health.versionCallback(() => ({ commit: 'abc' }));
  const listener = health.listener((_req, res) => res.writeHead(404).end());
  const server = createServer((req, res) => {
    if (!front(req, res)) listener(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { log, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function verify(url: string, io: Parameters<typeof inProcess>[1], ...args: string[]) {
  const usual = ['--json', '--max-latency', '20s', '--error-endpoint'];
  const { code, stdout, stderr } = await inProcess(['verify', url, ...usual, ...args], { env, ...io });
  const { results }: { results: Result[] } = JSON.parse(stdout);
  const failed = results.filter(({ outcome }) => outcome === 'failed' || outcome === 'advised');
  expect(stdout + stderr).not.toContain(token);
  return { code, failed: failed.map(({ name }) => name), results };
}

test('a service of ours holds, and its log, which stays open, has the line of each request', async () => {
  const { url, log } = await service();
  const { code, failed, results } = await verify(url, { stdin: log }, '--strict', '--logs', '-');
  expect({ code, failed }).toEqual({ code: 0, failed: [] });
  const passed = results.filter(({ outcome }) => outcome === 'passed').map(({ name }) => name);
  expect(passed).toEqual(
    expect.arrayContaining(['error.token', 'error.throws', 'logs.requests', 'logs.errno']),
  );
  // Let go of, for it would keep the process.
  expect(log.destroyed).toBe(true);
});

const isError = (url = '') => url.startsWith('/__error__');
test.each<[string, string, (...args: Parameters<RequestListener>) => boolean]>([
  [
    'one that throws for everybody',
    'error.token',
    ({ url }, res) => isError(url) && Boolean(res.writeHead(500).end()),
  ],
  [
    'one that takes the token from the query',
    'error.token',
    ({ url }, res) => isError(url) && (url?.includes(token) ?? false) && Boolean(res.writeHead(500).end()),
  ],
  ['none', 'error.throws', ({ url }, res) => isError(url) && Boolean(res.writeHead(404).end())],
  [
    'one that answers 200',
    'error.throws',
    ({ url, headers }, res) =>
      isError(url) && Boolean(res.writeHead(headers.authorization ? 200 : 404).end()),
  ],
  [
    'one that shows a password',
    'error.secrets',
    ({ url, headers }, res) =>
      isError(url) &&
      Boolean(
        res
          .writeHead(headers.authorization?.endsWith(token) === true ? 500 : 404)
          .end('postgres://a:hunter2@db'),
      ),
  ],
  [
    'one that shows its stack',
    'error.traces',
    ({ url, headers }, res) =>
      isError(url) &&
      Boolean(
        res.writeHead(headers.authorization?.endsWith(token) === true ? 500 : 404).end(new Error('no').stack),
      ),
  ],
])('%s is found: %s', async (_what, rule, front) => {
  const { url } = await service(front);
  const { code, failed } = await verify(url, {});
  expect(failed).toEqual([rule]);
  expect(code).toBe(rule === 'error.traces' ? 0 : 1);
});

test('without the variable it is misuse', async () => {
  const { code, stderr } = await inProcess(['verify', 'http://127.0.0.1:1', '--error-endpoint']);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('needs the token of the service in HEALTH_ERROR_ENDPOINT_TOKEN'),
  ]);
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
