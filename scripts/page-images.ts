// Makes the pictures of the health page in docs/images: npx tsx scripts/page-images.ts
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import express from 'express';
import { checks, Health } from '../src/frameworks/express.js';

const app = express();
const health = new Health(app, { page: true, loggerName: 'acme-shop', logger: { log() {} } });
health.versionCallback(() => ({
  version: '2.4.1',
  commit: '9f8b2c1d7e6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c',
  build: 'https://ci.example.com/acme/shop/1287',
  source: 'https://github.com/acme/shop',
}));

/** The heartbeat under way: what follows depends on it alone, so that the pictures come out alike. */
let beat = 0;
let fails = false;
const slow = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

health.check('check_database_connected', async () => {
  await slow(1 + (beat % 3));
  if (!fails || beat < 94) return [];
  const text = 'Cannot connect to the database: connect ECONNREFUSED 10.0.3.17:5432';
  return [
    new checks.Error(text, {
      id: 'health.E001',
      hint: 'Is PostgreSQL up? Runbook: storage/database-unreachable',
    }),
  ];
});
health.check('check_migrations_applied', () => []);
health.check('check_redis_connected', async () => {
  await slow(beat % 2);
});
health.check('storage_reachable', async () => {
  await slow(beat % 7);
  const late = fails ? beat >= 101 : beat >= 78 && beat < 81;
  return late ? [new checks.Warning('Storage is slow: 812 ms for a read', { id: 'acme.health.W001' })] : [];
});
health.check('payment_provider', () => []);
health.check('search_index', () => []);

/** 120 heartbeats, one every ten seconds, that end now. */
async function live(): Promise<void> {
  const now = Date.now;
  const end = now();
  for (beat = 0; beat < 120; beat += 1) {
    const at = end - (119 - beat) * 10_000;
    Date.now = () => at;
    await health.heartbeat();
  }
  Date.now = now;
}

const server = createServer(app);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });

async function picture(
  name: string,
  width: number,
  height: number,
  colorScheme: 'light' | 'dark',
): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await page.goto(`http://127.0.0.1:${port}/__health__`);
  await page.locator('#link.live').waitFor();
  await page.screenshot({ path: new URL(`../docs/images/${name}.png`, import.meta.url).pathname });
  await page.close();
}

await live();
await picture('health-page-ok', 1200, 940, 'light');
fails = true;
await live();
await picture('health-page-failing', 1200, 1060, 'light');
await picture('health-page-dark', 1200, 1060, 'dark');
await picture('health-page-phone', 400, 1000, 'light');
await browser.close();
server.close();
