import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as NodeHealth } from 'lifesign/node';
import { type Application, applications, type Make } from './applications.js';
import { listening } from './serving.js';

/** Servers that the framework does not show. */
const frameworks: Readonly<Record<string, Make>> = {
  ...applications,
  async 'node, listener'(options) {
    const health = new NodeHealth(options);
    const server = createServer(health.listener((_req, res) => res.end()));
    return { health, listen: () => listening(server).then(() => server) };
  },
  async 'Express on a server of the application'(options) {
    const app = express();
    const server = createServer(app);
    return { health: new ExpressHealth(app, options), listen: () => listening(server).then(() => server) };
  },
};

async function run({ health, listen }: Application) {
  onTestFinished(() => health.close());
  const server = await listen();
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`);
  return { health, server };
}

describe.each(Object.entries(frameworks))('keepAlive on %s', (_name, make) => {
  it.each([true, false])('sets the timeouts, and close gives them back (summary: %s)', async (summary) => {
    const before = (await run(await make({ summary, logger: false }))).server;
    const { health, server } = await run(await make({ keepAlive: '65s', summary, logger: false }));
    expect([server.keepAliveTimeout, server.headersTimeout]).toEqual([65_000, 66_000]);
    health.close();
    expect([server.keepAliveTimeout, server.headersTimeout]).toEqual([
      before.keepAliveTimeout,
      before.headersTimeout,
    ]);
  });
});

// A new connection is not closed before an old one, as far as requestTimeout allows; 0 is no limit.
test.each([
  { headers: 60_000, request: 300_000, becomes: 66_000 },
  { headers: 90_000, request: 300_000, becomes: 90_000 },
  { headers: 10_000, request: 30_000, becomes: 30_000 },
  { headers: 0, request: 300_000, becomes: 0 },
  { headers: 60_000, request: 0, becomes: 66_000 },
])('the timeouts fit together, and what the application sets later stays: %j', async (timeouts) => {
  const server = createServer((_req, res) => res.end());
  Object.assign(server, { headersTimeout: timeouts.headers, requestTimeout: timeouts.request });
  const health = new NodeHealth(server, { keepAlive: '65s', logger: false });
  await run({ health, listen: () => listening(server).then(() => server) });
  expect([server.keepAliveTimeout, server.headersTimeout]).toEqual([65_000, timeouts.becomes]);
  server.keepAliveTimeout = 7000;
  health.close();
  expect([server.keepAliveTimeout, server.headersTimeout]).toEqual([7000, timeouts.headers]);
});
