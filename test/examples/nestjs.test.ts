import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { root } from './snippets.js';
import type { Running } from './start.js';
import { compile, json, runNode, startTypeScript } from './tsx-app.js';

const example = join(root, 'examples/nestjs');

const leftovers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of leftovers.splice(0).toReversed()) await clean();
});

async function serve(variables: Readonly<Record<string, string>>): Promise<Running> {
  const running = await startTypeScript(example, 'src/main.ts', { HEALTH_DRAIN_DELAY: '0', ...variables });
  leftovers.push(() => running.stop());
  return running;
}

test('the example compiles', async () => {
  await compile(example);
});

test('the example: unapplied migrations, applied ones, a slow storage, production', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lifesign-nestjs-'));
  leftovers.push(() => rm(directory, { recursive: true }));
  const DATABASE = join(directory, 'shop.sqlite');
  const healthy = { check_database_connected: 'ok', check_migrations_applied: 'ok', storage: 'ok' };

  const running = await serve({ DATABASE });
  expect((await json(running, '/__version__')).body).toMatchObject({ version: '2.1.0' });
  expect(await json(running, '/__heartbeat__')).toMatchObject({
    status: 500,
    body: {
      status: 'warning',
      checks: { ...healthy, check_migrations_applied: 'warning' },
      details: {
        check_migrations_applied: {
          messages: { 'health.W001': expect.stringContaining('AddPrice1700000000002') },
        },
      },
    },
  });
  await expect.poll(running.output).toContain('heartbeat failed: warning');

  await runNode(example, ['--import', 'tsx', 'src/migrate.ts'], { DATABASE });
  expect(await json(running, '/__heartbeat__')).toEqual({
    status: 200,
    body: { status: 'ok', checks: healthy, details: {} },
  });
  expect(await json(running, '/api/orders')).toMatchObject({ status: 200, body: { orders: [] } });

  const slow = await serve({ DATABASE, STORAGE: 'slow', NODE_ENV: 'production' });
  const reply = await fetch(`${slow.origin}/__heartbeat__`);
  expect([reply.status, await reply.text()]).toEqual([500, '{"status":"warning"}']);
  await expect.poll(slow.output).toContain('shop.health.W001: Storage answers slowly');
}, 180_000);

test('SIGTERM drains: the process ends by itself', async () => {
  const running = await serve({ DATABASE: ':memory:' });
  await running.stop();
  expect(running.output()).toContain('Draining (SIGTERM)');
  expect(running.output()).toContain('Drained');
}, 180_000);
