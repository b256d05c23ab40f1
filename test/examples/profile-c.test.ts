import { describe, expect, onTestFinished, test } from 'vitest';
import { root } from './snippets.js';
import { type Running, start } from './start.js';

async function example(name: string): Promise<Running> {
  const running = await start([process.execPath, `examples/${name}/server.mjs`], root);
  onTestFinished(() => running.stop());
  return running;
}

async function ask(running: Running, path: string, init: RequestInit = {}) {
  const reply = await fetch(running.origin + path, { redirect: 'manual', ...init });
  const text = await reply.text();
  return { status: reply.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

/** The `request.summary` of a path, once it is written. */
async function summaryOf(running: Running, path: string) {
  for (let turn = 0; turn < 500; turn += 1) {
    for (const line of running.output().split('\n')) {
      if (!line.startsWith('{') || !line.endsWith('}')) continue;
      const { Type, Logger, Severity, Fields } = JSON.parse(line);
      if (Type === 'request.summary' && Fields.path === path) return { Logger, Severity, ...Fields };
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`no summary of ${path} in:\n${running.output()}`);
}

/** What all of them have in common: the version, a healthy report, the id of a request. */
async function expectHealthy(running: Running, version: string, checks: readonly string[]) {
  expect(await ask(running, '/__version__')).toMatchObject({ status: 200, body: { version } });
  expect(await ask(running, '/__heartbeat__')).toEqual({
    status: 200,
    body: { status: 'ok', checks: Object.fromEntries(checks.map((name) => [name, 'ok'])), details: {} },
  });
  expect(await ask(running, '/__lbheartbeat__')).toEqual({ status: 200, body: { status: 'ok' } });
  const home = await ask(running, '/', { headers: { 'X-Request-Id': 'night-1' } });
  expect(home.body).toMatchObject({ request: 'night-1' });
  expect(await summaryOf(running, '/')).toMatchObject({ rid: 'night-1', code: 200, errno: 0 });
}

describe('examples', () => {
  test('fastify', async () => {
    const running = await example('fastify');
    await expectHealthy(running, '2.0.0', ['warehouseReachable', 'stocked']);
    expect((await ask(running, '/admin/warehouse', { method: 'POST' })).status).toBe(401);
    const headers = { Authorization: 'Bearer letmein' };
    expect((await ask(running, '/admin/warehouse', { method: 'POST', headers })).status).toBe(200);
    expect(await ask(running, '/__heartbeat__')).toMatchObject({
      status: 500,
      body: { checks: { warehouseReachable: 'error', stocked: 'ok' } },
    });
    expect((await ask(running, '/boom')).status).toBe(500);
    const failed = await summaryOf(running, '/boom');
    expect(failed).toMatchObject({ Logger: 'stock', Severity: 3, msg: 'the shelf fell over', errno: 500 });
  });

  test('hono', async () => {
    const running = await example('hono');
    await expectHealthy(running, '3.1.0', ['links', 'writable']);
    expect((await ask(running, '/to/docs')).status).toBe(302);
    expect((await ask(running, '/to/nowhere')).status).toBe(500);
    expect(await summaryOf(running, '/to/nowhere')).toMatchObject({
      Logger: 'links',
      msg: 'no link nowhere',
    });
    await ask(running, '/read-only', { method: 'POST' });
    expect(await ask(running, '/__heartbeat__')).toMatchObject({
      status: 500,
      body: { status: 'critical', checks: { links: 'critical', writable: 'info' } },
    });
  });

  test('koa', async () => {
    const running = await example('koa');
    await expectHealthy(running, '0.9.0', ['manageable']);
    for (let time = 0; time < 2; time += 1) await ask(running, '/', { method: 'POST' });
    expect(await ask(running, '/__heartbeat__')).toMatchObject({
      status: 500,
      body: { details: { manageable: { messages: { 'todo.health.W001': '3 tasks wait' } } } },
    });
    expect(await ask(running, '/boom')).toEqual({ status: 500, body: { error: 'something broke' } });
    expect(await summaryOf(running, '/boom')).toMatchObject({ Logger: 'todo', msg: 'out of water' });
    expect(running.output()).toContain('Error: out of water');
  });

  test('node', async () => {
    const running = await example('node');
    await expectHealthy(running, '1.0.0', ['count']);
    for (let time = 0; time < 2; time += 1) await ask(running, '/');
    expect(await ask(running, '/__heartbeat__')).toMatchObject({ status: 500, body: { status: 'warning' } });
    expect((await ask(running, '/boom')).status).toBe(500);
    expect(await summaryOf(running, '/boom')).toMatchObject({
      Logger: 'counter',
      msg: 'the counter is stuck',
    });
  });

  test('fetch', async () => {
    const running = await example('fetch');
    await expectHealthy(running, '4.2.0', ['voice']);
    for (const name of ['ann', 'bo']) {
      expect((await ask(running, `/${name}`)).body).toMatchObject({ hello: name });
    }
    expect(await ask(running, '/__heartbeat__')).toMatchObject({ status: 500, body: { status: 'warning' } });
    expect((await ask(running, '/boom')).status).toBe(500);
    expect(await summaryOf(running, '/boom')).toMatchObject({ Logger: 'greeter', msg: 'lost for words' });
  });
});
