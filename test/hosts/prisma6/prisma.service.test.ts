import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heartbeats } from '../../checks/heartbeats.js';
import { expectTable } from '../../checks/matrix.js';
import { migrationFiles } from '../../checks/migration-files.js';
import { canStart, startService } from '../../services/index.js';
import type { RunningService } from '../../services/service.js';

interface GeneratedPrisma {
  $queryRawUnsafe(sql: string): Promise<unknown>;
  $executeRawUnsafe(sql: string): Promise<number>;
  $connect(): Promise<void>;
  $disconnect(): Promise<void>;
}
type Constructor = new (options: { readonly adapter: object }) => GeneratedPrisma;

const require = createRequire(import.meta.url);
const own = (name: string) => require.resolve(name, { paths: [import.meta.dirname] });

/** A client of Prisma 6 that needs no engine: its queries are compiled by WebAssembly inside the package. */
function generate(): Constructor {
  const folder = join(import.meta.dirname, 'node_modules/.cache/lifesign-prisma6');
  mkdirSync(folder, { recursive: true });
  const schema = `generator client {
  provider   = "prisma-client-js"
  output     = "./client"
  engineType = "client"
}
datasource db {
  provider = "postgresql"
  url      = env("DATABASE_URL")
}
model Thing {
  id Int @id
}
`;
  writeFileSync(join(folder, 'schema.prisma'), schema);
  execFileSync(
    process.execPath,
    [own('prisma/build/index.js'), 'generate', '--schema', join(folder, 'schema.prisma')],
    {
      cwd: import.meta.dirname,
      // Neither engine is used, and neither is to be downloaded.
      env: {
        ...process.env,
        PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
        PRISMA_QUERY_ENGINE_LIBRARY: '/bin/true',
        CHECKPOINT_DISABLE: '1',
      },
      stdio: 'pipe',
    },
  );
  const generated: { PrismaClient: Constructor } = require(join(folder, 'client'));
  return generated.PrismaClient;
}

describe.skipIf(!canStart('postgres'))('Prisma 6 by its driver adapter', () => {
  let server: RunningService;
  let folder: string;
  let db: GeneratedPrisma;
  const { names, write } = migrationFiles.Prisma;
  const manifest: { version: string } = JSON.parse(
    readFileSync(join(import.meta.dirname, 'node_modules/@prisma/client/package.json'), 'utf8'),
  );

  beforeAll(async () => {
    server = await startService('postgres');
    folder = await mkdtemp(join(tmpdir(), 'lifesign-prisma6-'));
    const Prisma = generate();
    const { PrismaPg }: { PrismaPg: new (options: object) => object } = require('@prisma/adapter-pg');
    const options = { host: '127.0.0.1', port: server.port, user: 'lifesign', database: 'postgres' };
    db = new Prisma({ adapter: new PrismaPg(options) });
  });
  afterAll(async () => {
    await db?.$disconnect();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is Prisma 6', () => expect(manifest.version).toMatch(/^6\./));

  it('tells which migrations were applied', async () => {
    const { beat } = heartbeats({ migrations: { db, migrationsFolder: folder }, timeout: 20_000 });
    const said = async () => (await beat()).details['check_migrations_applied']?.messages;
    await write(folder, 1);
    expect(await said()).toEqual({ 'health.W001': `Unapplied migrations found: ${names[0]}` });
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query(`CREATE TABLE _prisma_migrations (migration_name VARCHAR(255) NOT NULL,
      finished_at TIMESTAMPTZ, rolled_back_at TIMESTAMPTZ)`);
    const apply = (name: string) =>
      client.query('INSERT INTO _prisma_migrations VALUES ($1, now(), NULL)', [name]);
    await apply(names[0]);
    expect(await said()).toBeUndefined();
    await apply(names[1]);
    expect(await said()).toEqual({
      'health.I003': `Applied migrations unknown to this build: ${names[1]}`,
    });
    await client.end();
    await mkdir(join(folder, names[1]));
    expect(await said()).toBeUndefined();
  });

  it('tells a server that is up, gone, frozen and back', async () => {
    const { until, ids } = heartbeats({ db, timeout: 2000 });
    await until([]);
    await server.kill();
    await until(['health.E001', 'health.E002']);
    await server.restart();
    await until([]);
    server.freeze();
    try {
      expect(['health.E012', 'health.E013']).toContain((await ids()).join());
    } finally {
      server.thaw();
    }
    await until([]);
  });

  it('docs/checks.md has its version', () =>
    expectTable('Older majors', [{ client: 'Prisma on pg', version: manifest.version }]));
});
