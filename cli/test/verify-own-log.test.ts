import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Health } from 'lifesign/node';
import { JsonLogFormatter } from 'lifesign/logging';
import type { Result } from '../src/verify/rule.js';
import { inProcess } from './run.js';

test('a service of ours and the file it logs to: every request that was sent has its line', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'lifesign-own-log-'));
  writeFileSync(join(cwd, 'app.log'), '');
  const formatter = new JsonLogFormatter();
  const server = createServer((_req, res) => res.writeHead(404).end());
  const health = new Health(server, {
    logger: {
      log: (record) => appendFileSync(join(cwd, 'app.log'), `${formatter.format(record).trimEnd()}\n`),
    },
  });
  health.versionCallback(() => ({ commit: 'abc' }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ['verify', url, '--logs', 'app.log', '--strict', '--json', '--max-latency', '20s'];
  const { code, stdout } = await inProcess(args, { cwd });
  server.close();
  rmSync(cwd, { recursive: true });
  const { results }: { results: Result[] } = JSON.parse(stdout);
  expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  expect(results.find(({ name }) => name === 'logs.facts')?.outcome).toBe('passed');
  expect(code).toBe(0);
});
