import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checks, Health } from 'lifesign/node';

const file = join(import.meta.dirname, '../../deploy/prometheus/dashboard.json');

test('each series of the Grafana dashboard is one that a service exposes', async () => {
  const server = createServer((_req, res) => res.end());
  const health = new Health(server, { metrics: true, logger: false });
  health.check('storage', () => [new checks.Warning('Storage is slow', { id: 'shop.W001' })]);
  health.check('fine', () => []);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  await get('/__heartbeat__');
  await get('/');
  const exposed = new Set(
    Array.from((await get('/__metrics__')).matchAll(/^(\w+)[{ ]/gm), ([, name]) => name),
  );
  const named = [...readFileSync(file, 'utf8').matchAll(/\b(?:lifesign|http)_\w+/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(10);
  // With the watchdog only.
  expect(named.filter((name) => !exposed.has(name) && !name.includes('event_loop_blocked'))).toEqual([]);
});
