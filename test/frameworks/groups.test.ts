import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HealthOptions } from 'lifesign';
import { Health as NodeHealth } from 'lifesign/node';
import { until } from '../core/waiting.js';
import { applications, type Make } from '../http/applications.js';

const groups = { payments: ['stripe'] };
type Options = Pick<HealthOptions, 'groups' | 'checkOptions'>;

const { Hono: _, ...frameworks } = applications;

describe.each<[string, Make]>(Object.entries(frameworks))('%s', (_name, make) => {
  const start: Make = async (options, prepare) => {
    const application = await make({ ...options, logger: false }, prepare);
    await application.listen();
    return application;
  };

  test.each<[Options, string]>([
    [{ groups }, 'Group "payments" names "stripe", but no check has that name. Did you mean "strpe"?'],
    [{ checkOptions: { stripe: { timeout: 5 } } }, 'has options for "stripe"'],
  ])('%j for a check that is not registered is refused at start', async (options, message) => {
    const started = start(options, (health) => health.check('strpe', () => []));
    await expect(started).rejects.toMatchObject({ code: 'LIFESIGN_CHECK_UNKNOWN' });
    await expect(started).rejects.toThrow(message);
  });

  test('groups of checks that are registered before the start are taken', async () => {
    await start({ groups }, (health) => health.check('stripe', () => []));
  });
});

test('groups are served on the health port, and with healthPortOnly nowhere else', async () => {
  const lines: string[] = [];
  const server = createServer((_req, res) => res.writeHead(418).end());
  const health = new NodeHealth(server, {
    groups,
    healthPort: 0,
    healthPortOnly: true,
    logger: { log: ({ msg = '' }) => void lines.push(msg) },
  });
  onTestFinished(() => {
    health.close();
    server.close();
  });
  health.check('stripe', () => []);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = () => lines.map((line) => /health endpoints on .*:(\d+)$/.exec(line)?.[1]).find(Boolean);
  await until(() => port() !== undefined);
  const statusOf = async (at: string | number | undefined) =>
    (await fetch(`http://127.0.0.1:${at}/__heartbeat__/payments`)).status;
  expect(await statusOf(port())).toBe(200);
  expect(await statusOf((server.address() as AddressInfo).port)).toBe(418);
});
