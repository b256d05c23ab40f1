import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { type AdonisSettings, Health } from '../../src/frameworks/adonisjs/index.js';
import { adonisApp } from '../conformance/hosts/adonisjs.js';
import { canStart, startService } from '../services/index.js';

const settings: AdonisSettings = {
  BASE_DIR: tmpdir(),
  HEALTH_CHECKS: ['lifesign/checks.checkRedisConnected'],
  HEALTH_LOGGER: { log() {} },
};

async function statusOf(health: Health): Promise<string> {
  const { results } = await health.heartbeat();
  return results.map(({ name, status }) => `${name} ${status}`).join();
}

describe.skipIf(!canStart('redis'))('@adonisjs/redis', () => {
  test('the default connection is asked: up, then gone', async () => {
    const server = await startService('redis');
    const { hostname, port } = new URL(server.url);
    const redis = {
      connection: 'main',
      connections: { main: { host: hostname, port: Number(port), retryStrategy: () => 100 } },
    };
    const app = await adonisApp(settings, 'test', { redis });
    await app.start(() => {});
    const health = await app.container.make(Health);
    // The client is made with the first question and connects meanwhile.
    await expect.poll(() => statusOf(health), { timeout: 10_000 }).toBe('check_redis_connected ok');
    await server.stop();
    await expect.poll(() => statusOf(health), { timeout: 10_000 }).toBe('check_redis_connected error');
    await app.terminate();
  });

  test('without the package: health.E005', async () => {
    const app = await adonisApp(settings, 'test');
    await app.start(() => {});
    const { results } = await (await app.container.make(Health)).heartbeat();
    expect(results[0]?.messages.map(({ id }) => id)).toEqual(['health.E005']);
    await app.terminate();
  });
});
