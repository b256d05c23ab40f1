import { afterEach, expect, test } from 'vitest';
import { root } from './snippets.js';
import { type Running, start } from './start.js';

const leftovers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of leftovers.splice(0).toReversed()) await clean();
});

const json = async (running: Running, path: string, init: RequestInit = {}) => {
  const reply = await fetch(running.origin + path, init);
  return { status: reply.status, body: await reply.json() };
};

test('npm start: built-in and custom checks, a failure and its cause', async () => {
  // What `npm start` runs once the package is built.
  const running = await start([process.execPath, 'examples/express/server.mjs'], root);
  leftovers.push(running.stop);
  expect(running.output()).toContain(
    `curl -i http://localhost:${new URL(running.origin).port}/__heartbeat__`,
  );

  const page = await (await fetch(`${running.origin}/__health__`)).text();
  expect(page).toContain('All 3 checks pass');

  const healthy = {
    check_database_connected: 'ok',
    check_migrations_applied: 'ok',
    storageReachable: 'ok',
  };
  expect(await json(running, '/__heartbeat__')).toEqual({
    status: 200,
    body: { status: 'ok', checks: healthy, details: {} },
  });
  expect((await json(running, '/__version__')).body).toMatchObject({ version: '1.4.0' });

  await json(running, '/demo/storage', { method: 'POST' });
  expect(await json(running, '/__heartbeat__')).toMatchObject({
    status: 500,
    body: { status: 'warning', checks: { ...healthy, storageReachable: 'warning' } },
  });
  await json(running, '/demo/storage', { method: 'POST' });
  expect((await json(running, '/__heartbeat__')).status).toBe(200);

  await json(running, '/demo/database', { method: 'POST' });
  expect(await json(running, '/__heartbeat__')).toMatchObject({
    status: 500,
    body: {
      status: 'error',
      checks: { check_database_connected: 'error', check_migrations_applied: 'info' },
    },
  });
  expect(running.output()).toContain('"Type":"health.checks"');
});
