import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { inProcess, lifesignCli } from './run.js';
import { serving } from './serving.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'lifesign-serve-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const serve = (env: Record<string, string> = {}, ...args: string[]) =>
  serving([process.execPath, join(inject('builtCli'), 'dist/bin.js'), 'serve', ...args], { cwd, env });

async function heartbeat(origin: string) {
  const response = await fetch(`${origin}/__heartbeat__`);
  return { code: response.status, report: await response.json() };
}

/** As if the user had installed these packages. */
function install(...names: string[]): void {
  mkdirSync(join(cwd, 'node_modules'));
  for (const name of names) {
    symlinkSync(resolve(import.meta.dirname, '../../node_modules', name), join(cwd, 'node_modules', name));
  }
}

test('with nothing configured: a live service that reports on its own process and keeps the contract', async () => {
  writeFileSync(join(cwd, 'version.json'), '{"commit":"abc"}');
  const service = await serve();
  const { report } = await heartbeat(service.origin);
  // What they say is up to the machine.
  expect(Object.keys(report.checks)).toEqual(['memory', 'event_loop', 'disk']);
  expect(await (await fetch(`${service.origin}/__version__`)).json()).toEqual({ commit: 'abc' });
  expect((await inProcess(['verify', service.origin, '--max-latency', '20s'])).stdout).toContain(' 0 failed');
  const other = await fetch(service.origin);
  expect(other.status).toBe(404);
  expect(await other.json()).toMatchObject({ error: 'not found' });
  expect(await service.stop()).toBe(0);
  expect(service.output()).toContain('this process: memory, event_loop, disk');
});

test('its own log passes verify --logs', async () => {
  const service = await serve();
  await inProcess(['verify', service.origin, '--max-latency', '20s']);
  await service.stop();
  const stdin = (async function* () {
    yield service.output();
  })();
  const { code, stdout } = await inProcess(['verify', '--logs', '-'], { stdin });
  expect(stdout).toContain(' 0 failed');
  expect(code).toBe(0);
});

test('/__error__ with its token: 500, one summary with the reason; without it 404', async () => {
  const token = 'f3b1c2d4e5a697880123456789abcdef';
  const service = await serve({ HEALTH_ERROR_ENDPOINT_TOKEN: token });
  const asked = await fetch(`${service.origin}/__error__`, { headers: { authorization: `Bearer ${token}` } });
  expect([asked.status, await asked.json()]).toEqual([500, { error: 'internal server error' }]);
  expect((await fetch(`${service.origin}/__error__`)).status).toBe(404);
  expect(await service.stop()).toBe(0);
  const lines = service.output().split('\n');
  const thrown = lines.filter((line) => line.includes('thrown on purpose'));
  expect(thrown.map((line) => JSON.parse(line))).toMatchObject([
    { Type: 'request.summary', Severity: 3, Fields: { errno: 500, code: 500, path: '/__error__' } },
  ]);
  expect(service.output()).not.toContain(token);
});

test('--version-path', async () => {
  const service = await serve({}, '--version-path', join(cwd, 'elsewhere'));
  expect((await fetch(`${service.origin}/__version__`)).status).toBe(404);
  await service.stop();
});

test('SIGINT ends it at once', async () => {
  const service = await serve({ HEALTH_DRAIN_DELAY: '60000' });
  expect(await service.stop('SIGINT')).toBe(130);
});

describe('HEALTH_HTTP_CHECKS', () => {
  test('one check an address, by name or by host', async () => {
    let status = 200;
    const server = createServer((_req, res) => res.writeHead(status).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const service = await serve({
      HEALTH_HTTP_CHECKS: `auth=http://${address}/a%2Cb?x=1, http://${address}/`,
    });
    const up = await heartbeat(service.origin);
    expect(up).toEqual({
      code: 200,
      report: { status: 'ok', checks: { auth: 'ok', [address]: 'ok' }, details: {} },
    });
    status = 503;
    const down = await heartbeat(service.origin);
    expect(down.code).toBe(500);
    expect(down.report.checks).toEqual({ auth: 'error', [address]: 'error' });
    server.close();
    await service.stop();
  });

  test('a name that JavaScript keeps for itself', async () => {
    const service = await serve({ HEALTH_HTTP_CHECKS: '__proto__=http://127.0.0.1:1' });
    const text = await (await fetch(`${service.origin}/__heartbeat__`)).text();
    expect(text).toContain('"checks":{"__proto__":"error"}');
    await service.stop();
  });

  test('what is no list of addresses is refused', async () => {
    const { code, stderr } = await lifesignCli(['serve'], { cwd, env: { HEALTH_HTTP_CHECKS: 'auth' } });
    expect(code).toBe(2);
    expect(stderr).toContain('HEALTH_HTTP_CHECKS is "auth"; it must be a comma-separated list of name=URL');
    expect(stderr).toContain('LIFESIGN_URL');
  });
});

describe('health.config', () => {
  test('options and checks, as an object', async () => {
    writeFileSync(
      join(cwd, 'health.config.mjs'),
      `export default {
        failedStatusCode: 503,
        checks: { storage: async ({ name }) => { throw new Error('no ' + name); } },
      };`,
    );
    const service = await serve();
    const { code, report } = await heartbeat(service.origin);
    expect({ code, checks: report.checks }).toEqual({ code: 503, checks: { storage: 'error' } });
    await service.stop();
    expect(service.output()).toContain('config: health.config.mjs');
  });

  test('as a function, in a file of another name, beside a variable', async () => {
    writeFileSync(join(cwd, 'my.mjs'), 'export default async () => ({ checks: { storage() {} } });');
    const service = await serve({ HEALTH_HTTP_CHECKS: 'dead=http://127.0.0.1:1' }, '--config', 'my.mjs');
    const { report } = await heartbeat(service.origin);
    expect(report.checks).toEqual({ dead: 'error', storage: 'ok' });
    await service.stop();
  });

  test.each([
    ['export default 1', 'its default export must be an object'],
    ['export default { checks: { a: 1 } }', 'checks.a is not a function'],
    ['export default () => { throw new Error("boom"); }', 'Error: boom'],
    ['export default {', 'SyntaxError'],
    ['export default { failLevl: 1 }', 'Unknown option "failLevl"'],
    ['export default { timeout: "1x" }', 'Option timeout is "1x"; it must be'],
  ])('%s', async (source, sentence) => {
    writeFileSync(join(cwd, 'health.config.mjs'), source);
    const { code, stderr } = await lifesignCli(['serve'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });

  test('a file that was named and is not there', async () => {
    const { code, stderr } = await lifesignCli(['serve', '--config', 'no.mjs'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('no.mjs cannot be read: it does not exist');
  });
});

describe('DATABASE_URL and REDIS_URL', () => {
  test('sqlite, in a file', async () => {
    install('libsql');
    const database = new Database(join(cwd, 'shop.db'));
    database.exec('CREATE TABLE t (a)');
    database.close();
    const service = await serve({ DATABASE_URL: 'sqlite:./shop.db' });
    expect((await heartbeat(service.origin)).report.checks).toEqual({ check_database_connected: 'ok' });
    expect(await service.stop()).toBe(0);
    expect(service.output()).toContain('DATABASE_URL: libsql');
  });

  test('a sqlite file that is not there is not created', async () => {
    install('libsql');
    const { code, stderr } = await lifesignCli(['serve'], { cwd, env: { DATABASE_URL: 'sqlite:no.db' } });
    expect(code).toBe(2);
    expect(stderr).toContain('DATABASE_URL is "no.db"; it must be the path of an existing file');
  });

  test('servers that are down: a report that says so, and no password anywhere', async () => {
    install('pg', 'ioredis');
    const service = await serve({
      DATABASE_URL: 'postgres://shop:hunter2@127.0.0.1:1/shop',
      REDIS_URL: 'redis://:hunter3@127.0.0.1:1',
    });
    const { code, report } = await heartbeat(service.origin);
    expect(code).toBe(500);
    expect(report.checks).toEqual({ check_database_connected: 'error', check_redis_connected: 'error' });
    expect(report.details.check_database_connected.messages).toHaveProperty(['health.E001']);
    expect(await service.stop()).toBe(0);
    expect(JSON.stringify(report) + service.output()).not.toMatch(/hunter/);
  });

  test('a mistake that is seen after the clients were opened ends the process all the same', async () => {
    install('pg', 'ioredis');
    writeFileSync(join(cwd, 'health.config.mjs'), 'export default { failLevl: 1 };');
    const env = { DATABASE_URL: 'postgres://a@127.0.0.1:1/c', REDIS_URL: 'redis://127.0.0.1:1' };
    const { code, stderr } = await lifesignCli(['serve'], { cwd, env });
    expect(code).toBe(2);
    expect(stderr).toContain('Unknown option "failLevl"');
  });

  test.each([
    [
      { DATABASE_URL: 'postgres://a@b/c' },
      'no client for it is installed (looked for pg, postgres). Install one: npm install pg.',
    ],
    [{ DATABASE_URL: 'mysql://a@b/c' }, 'looked for mysql2, mariadb'],
    [{ REDIS_URL: 'redis://a' }, 'looked for ioredis, iovalkey, redis'],
    [
      { DATABASE_URL: 'oracle://a:hunter2@b/c' },
      'DATABASE_URL is "oracle:…"; it must be a URL that starts with postgres:',
    ],
    [{ DATABASE_URL: 'hunter2' }, 'DATABASE_URL is ""'],
    [{ REDIS_URL: 'http://a' }, 'REDIS_URL is "http:…"; it must be a URL that starts with redis:'],
  ])('%j without what it takes', async (env, sentence) => {
    const { code, stderr } = await lifesignCli(['serve'], { cwd, env });
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('hunter2');
  });
});

describe('where to listen', () => {
  test('a port that is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const port = String((server.address() as AddressInfo).port);
    const { code, stderr } = await lifesignCli(['serve', '--port', port], { cwd });
    server.close();
    expect(code).toBe(2);
    expect(stderr).toContain(`Cannot listen on 0.0.0.0:${port}`);
  });

  test.each([
    [['--port', 'x'], {}, '--port is "x"; it must be an integer from 0 to 65535'],
    [[], { PORT: 'x' }, 'PORT is "x"; it must be an integer from 0 to 65535'],
  ])('%j %j', async (args, env, sentence) => {
    const { code, stderr } = await lifesignCli(['serve', ...args], { cwd, env });
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });
});
