// A service with a health page of 200 checks and a small heap. Prints its port; `GET /stats` tells what it uses.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { Health as HonoHealth } from 'lifesign/hono';
import { Health } from 'lifesign/node';

const options = { page: true, details: true, logger: { log: () => {} } };
const stats = () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return JSON.stringify({ used: heapUsed + external });
};
const server = createServer();
if (process.argv[2] === 'hono') {
  const app = new Hono();
  const health = new HonoHealth(app, options);
  app.get('/stats', (c) => c.text(stats()));
  register(health);
  server.on('request', getRequestListener(app.fetch));
} else {
  register(new Health(server, options));
  server.on('request', (_req, res) => void res.end(stats()));
}

function register(health: { check(name: string, check: () => []): unknown }): void {
  for (let index = 0; index < 200; index += 1) health.check(`check_number_${index}`, () => []);
}

server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
