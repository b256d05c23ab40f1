import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { root } from './snippets.js';
import type { Running } from './start.js';
import { compile, json, runNode, startTypeScript } from './tsx-app.js';
import { whole } from '../whole.js';

const example = join(root, 'examples/adonisjs');

const leftovers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of leftovers.splice(0).toReversed()) await clean();
});

async function scratch(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, 'adonisjs-'));
  leftovers.push(() => rm(directory, { recursive: true }));
  return directory;
}

async function serve(app: string, variables: Readonly<Record<string, string>>): Promise<Running> {
  const running = await startTypeScript(app, 'bin/server.ts', variables);
  leftovers.push(() => running.stop());
  return running;
}

test('the example compiles', async () => {
  await compile(example);
});

test('the example: unapplied migrations, applied ones, a slow storage, production', async () => {
  const DATABASE = join(await scratch(tmpdir()), 'shop.sqlite');
  const healthy = {
    check_database_connected: 'ok',
    check_migrations_applied: 'ok',
    storageReachable: 'ok',
    heap: 'ok',
  };

  const running = await serve(example, { DATABASE });
  expect((await json(running, '/__version__')).body).toMatchObject({ version: '2.1.0' });
  expect(await json(running, '/__heartbeat__')).toMatchObject({
    status: 500,
    body: {
      status: 'warning',
      checks: { ...healthy, check_migrations_applied: 'warning' },
      details: {
        check_migrations_applied: {
          messages: {
            'health.W001': expect.stringContaining('database/migrations/1700000000002_add_price_to_orders'),
          },
        },
      },
    },
  });

  await runNode(example, ['ace', 'migration:run'], { DATABASE });
  expect(await json(running, '/__heartbeat__')).toEqual({
    status: 200,
    body: { status: 'ok', checks: healthy, details: {} },
  });
  expect(await json(running, '/')).toMatchObject({ status: 200, body: { orders: [] } });

  const slow = await serve(example, {
    DATABASE,
    STORAGE: 'slow',
    NODE_ENV: 'production',
    HEALTH_DRAIN_DELAY: '0',
  });
  const reply = await fetch(`${slow.origin}/__heartbeat__`);
  expect([reply.status, await reply.text()]).toEqual([500, '{"status":"warning"}']);
  await expect.poll(slow.output).toContain('shop.health.W001: Storage answers slowly');
}, 180_000);

// Its tools load for a minute.
test.each(whole ? ['lifesign'] : [])(
  'node ace configure %s makes what the example has, once',
  async () => {
    // Inside the repository: there `lifesign/…` is this package.
    const app = await scratch(join(root, '.tmp'));
    await cp(example, app, { recursive: true });
    const file = (name: string) => join(app, name);
    const without = async (name: string, line: string) => {
      const text = await readFile(file(name), 'utf8');
      expect(text).toContain(line);
      await writeFile(file(name), text.replace(line, ''));
    };
    await rm(file('config/health.ts'));
    await without('adonisrc.ts', "    () => import('lifesign/adonisjs/health_provider'),\n");
    await without('adonisrc.ts', "\n  metaFiles: [{ pattern: 'version.json', reloadServer: false }],\n");
    await without('start/kernel.ts', "  () => import('lifesign/adonisjs/health_middleware'),\n");
    await writeFile(
      file('tsconfig.json'),
      JSON.stringify({
        compilerOptions: { target: 'es2022', module: 'nodenext', strict: true },
        include: ['**/*.ts'],
      }),
    );

    const printed = await runNode(app, ['ace', 'configure', 'lifesign']);
    expect(printed.match(/DONE:.*/g)).toEqual([
      expect.stringContaining('create config/health.ts'),
      expect.stringContaining('update adonisrc.ts file'),
      expect.stringContaining('update start/kernel.ts file'),
    ]);
    // By its other name, once more: nothing is there twice.
    await runNode(app, ['ace', 'configure', 'lifesign/adonisjs']);
    expect(
      (await readFile(file('adonisrc.ts'), 'utf8')).match(/pattern: 'version.json',\s+reloadServer: false/g),
    ).toHaveLength(1);
    const imported = /import\('lifesign\/[^']+'\)/g;
    for (const name of ['adonisrc.ts', 'start/kernel.ts']) {
      const [made, expected] = [
        await readFile(file(name), 'utf8'),
        await readFile(join(example, name), 'utf8'),
      ];
      expect(made.match(imported)).toEqual(expected.match(imported));
    }
    const kernel = await readFile(file('start/kernel.ts'), 'utf8');
    expect(kernel.match(/server\.use\(\[\s*\(\) => import\('([^']+)'\)/)?.[1]).toBe(
      'lifesign/adonisjs/health_middleware',
    );

    const running = await serve(app, { DATABASE: join(app, 'shop.sqlite') });
    expect(await json(running, '/__heartbeat__')).toMatchObject({
      status: 500,
      body: { checks: { check_database_connected: 'ok', check_migrations_applied: 'warning' } },
    });
  },
  180_000,
);
