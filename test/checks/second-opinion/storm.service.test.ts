import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHandler } from 'lifesign';
import { pause } from '../../core/waiting.js';
import { canStart, startService } from '../../services/index.js';
import type { RunningService } from '../../services/service.js';
import { startProxy, type Weather } from '../proxy.js';

const weathers: readonly Weather[] = ['heal', 'halfOpen', 'swallow', 'freeze', 'heal', 'halfOpen', 'heal'];

/** Probes without number while the way to the server breaks in many ways; the most connections at a time, and the runs. */
async function storm(port: number, open: (port: number) => { options: object; close(): unknown }) {
  const proxy = await startProxy(port);
  const { options, close } = open(proxy.port);
  const handle = createHandler({
    ...options,
    timeout: 300,
    logger: false,
    probes: { probeEvery: 200, secondOpinionEvery: 200, restartAfter: 500 },
  });
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, proxy.open())), 2);
  let runs = 0;
  handle.health.check('counted', () => void (runs += 1));
  const started = performance.now();
  const answers: Promise<unknown>[] = [];
  for (const weather of weathers) {
    proxy.set(weather);
    for (let burst = 0; burst < 20; burst += 1) {
      for (const path of ['/readyz', '/livez', '/startupz', '/readyz?verbose']) {
        for (let probe = 0; probe < 10; probe += 1) answers.push(Promise.resolve(handle('GET', path, {})));
      }
      await pause(20);
    }
  }
  await Promise.all(answers);
  const elapsed = performance.now() - started;
  handle.health.close();
  clearInterval(watch);
  await Promise.race([close(), pause(500)]);
  await proxy.close();
  return { most, runs, allowed: elapsed / 200 + 2, asked: answers.length };
}

describe.skipIf(!canStart('postgres') || !canStart('redis'))(
  'a storm of probes while the server comes and goes',
  () => {
    let postgres: RunningService;
    let redis: RunningService;
    beforeAll(async () => {
      [postgres, redis] = await Promise.all([startService('postgres'), startService('redis')]);
    });
    afterAll(async () => {
      await postgres?.stop();
      await redis?.stop();
    });

    it('has one connection beyond the pool of pg at most, and one run in probeEvery', async () => {
      const size = 2;
      const { most, runs, allowed, asked } = await storm(postgres.port, (port) => {
        const pool = new Pool({ user: 'lifesign', database: 'postgres', host: '127.0.0.1', port, max: size });
        pool.on('error', () => {});
        return { options: { db: pool }, close: () => pool.end() };
      });
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(size + 1);
      expect(runs).toBeGreaterThan(2);
      expect(runs).toBeLessThanOrEqual(allowed);
      expect(asked).toBeGreaterThan(1000);
    });

    it('has one connection beside that of ioredis at most, and one run in probeEvery', async () => {
      const { most, runs, allowed } = await storm(redis.port, (port) => {
        const client = new Redis({ port, retryStrategy: () => 100 });
        client.on('error', () => {});
        return { options: { redis: client }, close: () => client.disconnect() };
      });
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(2);
      expect(runs).toBeLessThanOrEqual(allowed);
    });
  },
);
