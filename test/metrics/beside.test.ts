// What docs/metrics.md says to write for the metrics that lifesign does not have.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as successor from '@prometheus-io/client';
import * as predecessor from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { Health, type HealthOptions } from 'lifesign/node';

const page = readFileSync(join(import.meta.dirname, '../../docs/metrics.md'), 'utf8');

test.each([
  ['prom-client', predecessor],
  ['@prometheus-io/client', successor],
])('%s: two lines serve its series and ours at one path', async (name, client) => {
  const lines = page.match(/(?<=```js fragment\n)collectDefaultMetrics.*\n.*\n(?=```)/g) ?? [];
  const code = lines.find((each) => each.includes(`from '${name}'`)) ?? '';
  const server = createServer((_req, res) => res.end());
  class Quiet extends Health {
    constructor(app: typeof server, options: HealthOptions) {
      super(app, { ...options, logger: false });
      onTestFinished(() => this.close());
    }
  }
  const { collectDefaultMetrics, register } = client;
  // oxlint-disable-next-line no-implied-eval, no-new-func, typescript/no-implied-eval -- the page's own lines
  const run = new Function('collectDefaultMetrics', 'register', 'Health', 'app', 'pool', code);
  run(collectDefaultMetrics, register, Quiet, server, undefined);
  // The registry is that of the library: other files in this worker see it too.
  onTestFinished(() => register.clear());
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await (await fetch(`${origin}/__heartbeat__`)).text();
  const text = await (await fetch(`${origin}/metrics`)).text();
  expect(text).toMatch(/^nodejs_heap_size_used_bytes \d+$/m);
  expect(text).toContain('lifesign_heartbeats_total{status="ok"} 1\n');
});
