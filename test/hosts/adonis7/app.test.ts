import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectTable } from '../../checks/matrix.js';
import { root } from '../../examples/snippets.js';
import { type Running, start } from '../../examples/start.js';
import { json, runNode } from '../../examples/tsx-app.js';
import { canStart, startService } from '../../services/index.js';
import type { RunningService } from '../../services/service.js';

const files = {
  'package.json': '{ "name": "shop", "private": true, "type": "module" }',
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      skipLibCheck: true,
      types: ['node'],
      rootDir: '.',
      outDir: './build',
    },
    include: ['**/*.ts'],
  }),
  'config/database.ts': `import { defineConfig } from '@adonisjs/lucid'
export default defineConfig({
  connection: 'main',
  connections: {
    main: { client: 'pg', connection: { connectionString: process.env['DATABASE_URL'] }, migrations: { paths: ['database/migrations'] } },
  },
})`,
  'config/encryption.ts': `import { defineConfig, drivers } from '@adonisjs/core/encryption'
export default defineConfig({ default: 'app', list: { app: drivers.aes256gcm({ id: 'app', keys: ['only-good-enough-for-an-example!'] }) } })`,
  'config/redis.ts': `import { defineConfig } from '@adonisjs/redis'
export default defineConfig({
  connection: 'main',
  connections: {
    main: { host: '127.0.0.1', port: process.env['REDIS_PORT'], retryStrategy: (times) => (times > 3 ? null : times * 20) },
  },
})
declare module '@adonisjs/redis/types' {
  interface RedisConnections { main: { host: string } }
}`,
};

const health = `import app from '@adonisjs/core/services/app'
import { defineConfig } from 'lifesign/adonisjs'
export default defineConfig({
  BASE_DIR: app.makePath(),
  DEBUG: true,
  db: 'main',
  redis: () => import('@adonisjs/redis/services/main'),
  logger: () => import('@adonisjs/core/services/logger'),
  timeout: 2000,
  drain: { delay: 0 },
})`;

describe.skipIf(!canStart('postgres') || !canStart('redis'))('an application of AdonisJS 7', () => {
  let app: string;
  let database: RunningService;
  let redis: RunningService;
  let running: Running | undefined;

  beforeAll(async () => {
    [database, redis] = await Promise.all([startService('postgres'), startService('redis')]);
    await mkdir(join(root, '.tmp'), { recursive: true });
    app = await mkdtemp(join(root, '.tmp/adonis7-'));
    await cp(join(root, 'examples/adonisjs'), app, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(app, name), text);
    // As if it were installed: what is built, beside this AdonisJS.
    const lifesign = join(app, 'node_modules/lifesign');
    await mkdir(lifesign, { recursive: true });
    for (const part of ['dist', 'stubs', 'package.json']) {
      await cp(join(root, part), join(lifesign, part), { recursive: true });
    }
    await symlink(join(import.meta.dirname, 'node_modules/@adonisjs'), join(app, 'node_modules/@adonisjs'));
    for (const name of ['adonisrc.ts', 'start/kernel.ts']) {
      const text = await readFile(join(app, name), 'utf8');
      const lines = text.split('\n').filter((line) => !/lifesign|version\.json/.test(line));
      const redisProvider = "    () => import('@adonisjs/redis/redis_provider'),";
      const at = lines.findIndex((line) => line.includes('database_provider'));
      if (at >= 0) lines.splice(at + 1, 0, redisProvider);
      await writeFile(join(app, name), lines.join('\n'));
    }
    await rm(join(app, 'config/health.ts'));
  });
  afterAll(async () => {
    await running?.stop();
    await database?.stop();
    await redis?.stop();
    await rm(app, { recursive: true, force: true });
  });

  test('is configured by the name of the package, compiles, and its build has version.json', async () => {
    const printed = await runNode(app, ['ace', 'configure', 'lifesign']);
    expect(printed.match(/DONE:.*/g)).toEqual([
      expect.stringContaining('create config/health.ts'),
      expect.stringContaining('update adonisrc.ts file'),
      expect.stringContaining('update start/kernel.ts file'),
    ]);
    expect(await readFile(join(app, 'start/kernel.ts'), 'utf8')).toMatch(
      /server\.use\(\[\s*\(\) => import\('lifesign\/adonisjs\/health_middleware'\)/,
    );
    await writeFile(join(app, 'config/health.ts'), health);
    await runNode(app, ['ace', 'build']);
    expect(JSON.parse(await readFile(join(app, 'build/version.json'), 'utf8'))).toMatchObject({
      version: '2.1.0',
    });
  });

  test('serves from its build; its database and its Redis are killed and restarted', async () => {
    const build = join(app, 'build');
    const variables = {
      DATABASE_URL: database.url,
      REDIS_PORT: String(redis.port),
      NODE_ENV: 'production',
    };
    await runNode(build, ['ace.js', 'migration:run', '--force'], variables);
    const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    running = await start(['env', ...settings, process.execPath, 'bin/server.js'], build);
    const asked = running;
    const healthy = {
      check_database_connected: 'ok',
      check_migrations_applied: 'ok',
      check_redis_connected: 'ok',
    };
    const until = (checks: object) =>
      expect
        .poll(() => json(asked, '/__heartbeat__'), { timeout: 30_000, interval: 100 })
        .toMatchObject({ body: { checks } });

    expect(await json(asked, '/__version__')).toMatchObject({ status: 200, body: { version: '2.1.0' } });
    expect(await json(asked, '/__heartbeat__')).toMatchObject({ status: 200, body: { checks: healthy } });
    await database.kill();
    await until({ ...healthy, check_database_connected: 'error', check_migrations_applied: 'info' });
    await database.restart();
    await until(healthy);
    await redis.kill();
    await until({ ...healthy, check_redis_connected: 'error' });
    // Until the client has given up: AdonisJS makes a new one for who asks then.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await redis.restart();
    await until(healthy);
    // To the logger of AdonisJS.
    expect(asked.output()).toMatch(/"level":50,[^\n]*"logger":"health\.checks"/);
  });
});

test('contributing/clients.md lists the versions', () => {
  const require = createRequire(import.meta.url);
  const versionOf = (entry: string) => require(join(entry, '../../package.json')).version;
  expectTable('AdonisJS 7, on Node 24', [
    { client: 'Lucid on pg', version: versionOf(require.resolve('@adonisjs/lucid')) },
    { client: '@adonisjs/redis', version: versionOf(require.resolve('@adonisjs/redis')) },
  ]);
});
