import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Health as NodeHealth } from 'lifesign/node';
import { until } from '../core/waiting.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const groups = { payments: ['stripe'] };
test('groups are served on the health port, and with healthPortOnly nowhere else', async () => {
  const lines: string[] = [];
  const server = createServer((_req, res) => res.writeHead(418).end());
  const health = new NodeHealth(server, {
    groups,
    healthPort: 0,
    healthPortOnly: true,
    logger: { log: ({ msg = '' }) => void lines.push(msg) },
  });
  ends.push(
    () => health.close(),
    () => server.close(),
  );
  health.check('stripe', () => []);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = () => lines.map((line) => /health endpoints on .*:(\d+)$/.exec(line)?.[1]).find(Boolean);
  await until(() => port() !== undefined);
  const statusOf = async (at: string | number | undefined) =>
    (await fetch(`http://127.0.0.1:${at}/__heartbeat__/payments`)).status;
  expect(await statusOf(port())).toBe(200);
  expect(await statusOf((server.address() as AddressInfo).port)).toBe(418);
});
