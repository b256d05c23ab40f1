// HEALTH_AUTO_CHECKS=true on real servers, and pools that an application hands over.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from '../core/waiting.js';
import { sharedService } from '../services/index.js';
import { directoryWith, start } from './start.js';

const [postgres = '', redis = ''] = [sharedService('postgres'), sharedService('redis')];
const urls = { DATABASE_URL: postgres, REDIS_URL: redis };

const service = (before: string) => `
import { createServer } from 'node:http';
${before}
const server = createServer((_req, res) => res.end()).listen(process.env.PORT);
process.once('SIGTERM', () => server.close());`;

async function startService(env: Record<string, string>, before = '') {
  const cwd = directoryWith({ 'app.mjs': service(before) });
  for (const name of ['pg', 'ioredis']) {
    symlinkSync(join(import.meta.dirname, '../../node_modules', name), join(cwd, 'node_modules', name));
  }
  return start(['app.mjs'], { cwd, env: { ...urls, ...env } });
}

const checksOf = async ({ origin }: { readonly origin: string }) => {
  const report: { checks: unknown } = await (await fetch(`${origin}/__heartbeat__`)).json();
  return report.checks;
};

describe.skipIf(postgres === '' || redis === '')('checks of an unmodified service', () => {
  test('DATABASE_URL, REDIS_URL and HEALTH_HTTP_CHECKS are asked; its own end is that of the service', async () => {
    const app = await startService({
      HEALTH_AUTO_CHECKS: 'true',
      HEALTH_HTTP_CHECKS: 'gone=http://127.0.0.1:9/',
    });
    expect(await checksOf(app)).toEqual({
      check_database_connected: 'ok',
      check_redis_connected: 'ok',
      gone: 'error',
    });
    expect(app.stderr()).toBe('');
    // The application closes its server and waits for the end of the process: no connection of ours keeps it.
    app.child.kill('SIGTERM');
    expect(await app.exited).toEqual({ code: 0, signal: null });
  });

  test('nothing is opened unless that is asked for', async () => {
    const app = await startService({});
    expect(await checksOf(app)).toEqual({});
  });

  test('a pool that was handed over takes the place of DATABASE_URL', async () => {
    const before = `import pg from 'pg'; import { watch } from 'lifesign/auto';
      const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL }); pool.on('acquire', () => console.error('asked'));
      watch({ db: pool }); watch({ db: pool });`;
    const app = await startService({ HEALTH_AUTO_CHECKS: 'true' }, before);
    expect(await checksOf(app)).toEqual({ check_database_connected: 'ok', check_redis_connected: 'ok' });
    await until(() => app.stderr().includes('asked'));
    expect(app.stderr()).not.toContain('lifesign/auto');
  });
});
