import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heartbeats } from '../../checks/heartbeats.js';
import { expectTable } from '../../checks/matrix.js';
import { migrationFiles } from '../../checks/migration-files.js';
import { canStart, startService } from '../../services/index.js';
import type { RunningService } from '../../services/service.js';
import type { GeneratedPrisma } from '../prisma.js';
import { generatePrisma6, prisma6Version, PrismaPg6 } from './generate.js';

describe.skipIf(!canStart('postgres'))('Prisma 6 by its driver adapter', () => {
  let server: RunningService;
  let folder: string;
  let db: GeneratedPrisma;
  const { names, write } = migrationFiles.Prisma;

  beforeAll(async () => {
    server = await startService('postgres');
    folder = await mkdtemp(join(tmpdir(), 'lifesign-prisma6-'));
    const Prisma = generatePrisma6();
    const options = { host: '127.0.0.1', port: server.port, user: 'lifesign', database: 'postgres' };
    db = new Prisma({ adapter: new PrismaPg6(options) });
  });
  afterAll(async () => {
    await db?.$disconnect();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is Prisma 6', () => expect(prisma6Version).toMatch(/^6\./));

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

  it('contributing/clients.md has its version', () =>
    expectTable('Older majors', [{ client: 'Prisma on pg', version: prisma6Version }]));
});
