import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { root, snippetsOf } from '../examples/snippets.js';
import { start } from '../examples/start.js';
import { canStart, startService } from '../services/index.js';

const leftovers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const clean of leftovers.splice(0).toReversed()) await clean();
});

test.skipIf(!canStart('postgres') || !canStart('redis'))(
  'README: the first example answers what the page shows when the database is down',
  async () => {
    const snippets = await snippetsOf('README.md');
    const program = snippets.find(({ language }) => language === 'js');
    const shown = snippets.find(({ language }) => language === 'json');
    await mkdir(join(root, '.tmp'), { recursive: true });
    const directory = await mkdtemp(join(root, '.tmp/readme-'));
    leftovers.push(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, 'server.mjs'), program?.code ?? '');
    const [postgres, redis] = await Promise.all([startService('postgres'), startService('redis')]);
    leftovers.push(() => Promise.all([postgres.stop(), redis.stop()]));
    vi.stubEnv('DATABASE_URL', postgres.url);
    vi.stubEnv('REDIS_URL', redis.url);
    const running = await start([process.execPath, 'server.mjs'], directory);
    leftovers.push(running.stop);

    const ask = async (path: string) => fetch(running.origin + path);
    // The first heartbeat may come before Redis is connected.
    await expect
      .poll(async () => (await ask('/__heartbeat__')).json(), { timeout: 20_000 })
      .toEqual({
        status: 'ok',
        checks: { check_database_connected: 'ok', check_redis_connected: 'ok' },
        details: {},
      });
    await postgres.kill();
    // The first heartbeat may still meet the connection that broke.
    await ask('/__heartbeat__');
    const failed = await ask('/__heartbeat__');
    const body = JSON.stringify(await failed.json(), null, 2).replace(`:${postgres.port}`, ':5432');
    expect([failed.status, body]).toEqual([500, shown?.code.trim()]);
    expect(await (await ask('/__health__')).text()).toContain('check_database_connected');
    expect(program?.code.trim().split('\n').length).toBeLessThanOrEqual(12);
  },
);
