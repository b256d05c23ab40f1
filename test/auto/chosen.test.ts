// Which servers get a Health.
import { mkdtempSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from '../core/waiting.js';
import { freePort } from '../services/port.js';
import { directoryWith, start, startApplication } from './start.js';

const statusOf = async (port: number, path = '/__lbheartbeat__', host = '127.0.0.1') => {
  const answer = await fetch(`http://${host}:${port}${path}`);
  await answer.text();
  return answer.status;
};

/** Servers that answer 418, on each of `[host, port]`, one after the other. */
const servers = (places: readonly (readonly [host: string | undefined, port: number])[], before = '') => `
import { createServer } from 'node:http';
${before}
for (const [host, port] of ${JSON.stringify(places)}) {
  const server = createServer((_req, res) => res.writeHead(418).end());
  await new Promise((resolve) => server.listen({ port, ...(host && { host }) }, resolve));
}
console.error('ready');`;

async function startServers(
  places: readonly (readonly [string | undefined, number])[],
  env: Record<string, string>,
  before?: string,
) {
  const cwd = directoryWith({ 'servers.mjs': servers(places, before) });
  const app = await start(['servers.mjs'], { cwd, env, listens: false });
  await until(() => {
    if (app.child.exitCode !== null) throw new Error(app.stderr());
    return app.stderr().includes('ready');
  });
  return app;
}

const ports = async (count: number) => {
  const found = new Set<number>();
  while (found.size < count) found.add(await freePort());
  return [...found];
};

const [any, local] = [undefined, '127.0.0.1'];

interface Choice {
  readonly name: string;
  readonly hosts: readonly (string | undefined)[];
  readonly env: (first: number, second: number) => Record<string, string>;
  readonly expected: readonly number[];
}
const choices: readonly Choice[] = [
  {
    name: 'the one on PORT',
    hosts: [any, any],
    env: (_, PORT) => ({ PORT: `${PORT}` }),
    expected: [418, 200],
  },
  {
    name: 'the one on HEALTH_AUTO_PORT, whatever PORT says',
    hosts: [local, any],
    env: (own, PORT) => ({ PORT: `${PORT}`, HEALTH_AUTO_PORT: `${own}` }),
    expected: [200, 418],
  },
  ...['', '0', '\\\\.\\pipe\\x'].map((PORT) => ({
    name: `with PORT=${PORT} all but those on a loopback address that come later`,
    hosts: [local, any, local],
    env: () => ({ PORT }),
    expected: [200, 200, 418],
  })),
];

test.each(choices)('$name', async ({ hosts, env, expected }) => {
  const free = await ports(hosts.length);
  const [first = 0, second = 0] = free;
  await startServers(
    hosts.map((host, index) => [host, free[index] ?? 0] as const),
    env(first, second),
  );
  expect(await Promise.all(free.map((port) => statusOf(port)))).toEqual(expected);
});

test('not a Unix socket, not the health port, not the port of the watchdog', async () => {
  const [a = 0, b = 0, c = 0] = await ports(3);
  const path = join(mkdtempSync(join(tmpdir(), 'lifesign-')), 'socket');
  const cwd = directoryWith({
    'servers.mjs': `import { createServer } from 'node:http';
      createServer((_req, res) => res.writeHead(418).end()).listen(${JSON.stringify(path)}, () => {
        createServer((_req, res) => res.writeHead(418).end()).listen(${a}, () => console.error('ready'));
      });`,
  });
  const env = { PORT: '', HEALTH_PORT: String(b), HEALTH_WATCHDOG: 'true', HEALTH_WATCHDOG_PORT: String(c) };
  const app = await start(['servers.mjs'], { cwd, env, listens: false });
  await until(() => app.stderr().includes('ready'));
  const overSocket = await new Promise((resolve, reject) => {
    request({ socketPath: path, path: '/__lbheartbeat__' }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });
  expect(overSocket).toBe(418);
  expect(await statusOf(a)).toBe(200);
  await until(() =>
    statusOf(b).then(
      (status) => status === 200,
      () => false,
    ),
  );
  await until(() =>
    statusOf(c, '/__lbheartbeat__').then(
      () => true,
      () => false,
    ),
  );
  // Theirs, not ours a second time: one summary for the request on the health port.
  expect((await app.summaries(2)).map(({ path: asked }) => asked)).toEqual([
    '/__lbheartbeat__',
    '/__lbheartbeat__',
  ]);
});

describe('an application that has a Health', () => {
  test.each([['node', `import { Health } from 'lifesign/node'; new Health().check('own', () => []);`, 418]])(
    'of %s is left alone',
    async (_name, before, expected) => {
      const [a = 0] = await ports(1);
      const app = await startServers([[undefined, a]], { PORT: String(a) }, before);
      expect(await statusOf(a)).toBe(expected);
      expect(app.stdout()).toBe('');
    },
  );

  test('keeps its checks, also where the server is made apart from the application', async () => {
    const [port = 0] = await ports(1);
    const express = JSON.stringify(join(import.meta.dirname, '../../node_modules/express/index.js'));
    const cwd = directoryWith({
      'app.mjs': `import { createServer } from 'node:http';
        import { Health } from 'lifesign/express';
        const { default: express } = await import(${express});
        const app = express();
        new Health(app).check('own', () => []);
        createServer(app).listen(${port});`,
    });
    const app = await start(['app.mjs'], { cwd, port });
    const answer = await fetch(`${app.origin}/__heartbeat__`);
    expect(await answer.text()).toBe('{"status":"ok","checks":{"own":"ok"},"details":{}}');
    expect(await app.summaries(1)).toHaveLength(1);
  });
});

test('a server that could not listen is served where it listens at last, and again after it was closed', async () => {
  const [a = 0, b = 0] = await ports(2);
  const cwd = directoryWith({
    'app.mjs': `import { createServer } from 'node:http';
      createServer().listen(${a}, () => {
        const server = createServer((_req, res) => res.writeHead(418).end());
        server.once('error', () => server.listen(${b}, () => server.close(() => server.listen(${b}, () => console.error('ready')))));
        server.listen(${a});
      });`,
  });
  const app = await start(['app.mjs'], { cwd, env: { PORT: String(b) }, listens: false });
  await until(() => app.stderr().includes('ready'));
  expect(await statusOf(b)).toBe(200);
  expect(await app.summaries(1)).toHaveLength(1);
});

test('NODE_DEBUG=lifesign says what was decided', async () => {
  const [a = 0, b = 0] = await ports(2);
  const app = await startServers(
    [
      [undefined, a],
      [undefined, b],
    ],
    { PORT: String(b), NODE_DEBUG: 'lifesign' },
  );
  expect(app.stderr()).toMatch(new RegExp(`ignored: \\S+:${a}, PORT is ${b}`));
  expect(app.stderr()).toMatch(new RegExp(`served: \\S+:${b}`));
});

test('HEALTH_AUTO=false turns it off in a process that has it in NODE_OPTIONS', async () => {
  const app = await startApplication('node', 'mjs', { env: { HEALTH_AUTO: 'false' } });
  expect(await statusOf(app.port)).toBe(404);
  expect(app.stdout()).toBe('');
});

test('HEALTH_AUTO=true turns it on for a file that is preloaded and imports it; without it nothing happens', async () => {
  const cwd = directoryWith({ 'preloaded.mjs': `import 'lifesign/auto';` });
  const options = '--import ./preloaded.mjs';
  const on = await startApplication('node', 'cjs', { cwd, options, env: { HEALTH_AUTO: 'true' } });
  expect(await statusOf(on.port)).toBe(200);
  const off = await startApplication('node', 'cjs', { cwd, options });
  expect(await statusOf(off.port)).toBe(404);
});
