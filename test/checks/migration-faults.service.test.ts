import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import knexOf from 'knex';
import { FileMigrationProvider, Kysely, PostgresDialect } from 'kysely';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MigrationSource } from 'lifesign/checks';
import { canStart, startService } from '../services/index.js';
import { freePort } from '../services/port.js';
import type { RunningService } from '../services/service.js';
import { generatePrisma7 } from '../hosts/prisma.js';
import { PrismaPg } from '@prisma/adapter-pg';
import { heartbeats } from './heartbeats.js';

describe.skipIf(!canStart('postgres'))(
  'migrations that cannot be checked although the database answers',
  () => {
    let server: RunningService;
    let pool: Pool;
    let root: string;
    beforeAll(async () => {
      server = await startService('postgres');
      pool = new Pool({ connectionString: server.url });
      pool.on('error', () => {});
      root = await mkdtemp(join(tmpdir(), 'lifesign-root-'));
      await mkdir(join(root, 'drizzle/meta'), { recursive: true });
      await mkdir(join(root, 'plain'));
      await writeFile(join(root, 'drizzle/meta/_journal.json'), JSON.stringify({ entries: [] }));
    });
    afterAll(async () => {
      await pool?.end();
      await server?.stop();
      await rm(root, { recursive: true, force: true });
    });

    const beats = (migrations: MigrationSource) =>
      heartbeats({ migrations, versionPath: root, timeout: 10_000 });
    const said = async (migrations: MigrationSource) =>
      (await beats(migrations).beat()).details['check_migrations_applied']?.messages;
    const knexAt = (directory: string, user = 'lifesign') =>
      knexOf({
        client: 'pg',
        connection: { host: '127.0.0.1', port: server.port, user, database: 'postgres' },
        pool: { min: 0 },
        log: { warn: () => {} },
        migrations: { directory },
      });

    it('a folder that is not there is refused at start, whichever library it is for', async () => {
      const knex = knexAt(join(root, 'knxe'));
      const refused = expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' });
      for (const migrations of [
        { db: drizzle(pool), migrationsFolder: './drizzel' },
        { db: drizzle(pool), migrationsFolder: join(root, 'drizzel') },
        {
          db: new (generatePrisma7('postgresql'))({ adapter: new PrismaPg(pool) }),
          migrationsFolder: 'prisma/migration',
        },
        { dbClient: pool, dir: 'migrationz', migrationsTable: 'pgmigrations' },
        knex,
        { main: { db: drizzle(pool), migrationsFolder: './drizzel' } },
      ]) {
        // A file is no folder either.
        expect(
          () => heartbeats({ migrations, versionPath: root }),
          JSON.stringify(Object.keys(migrations)),
        ).toThrow(refused);
      }
      expect(() => beats({ db: drizzle(pool), migrationsFolder: 'drizzle/meta/_journal.json' })).toThrow(
        refused,
      );
      await knex.destroy();
    });

    it('takes relative folders from the version path, wherever the process was started', async () => {
      expect(process.cwd()).not.toBe(root);
      expect(await said({ db: drizzle(pool), migrationsFolder: './drizzle' })).toBeUndefined();
    });

    it('warns with the path when the folder or a file goes away later', async () => {
      const { ids, beat, until } = beats({ db: drizzle(pool), migrationsFolder: './drizzle' });
      await until([]);
      await rename(join(root, 'drizzle'), join(root, 'away'));
      expect(await ids()).toEqual(['health.W008']);
      const body = JSON.stringify(await beat());
      expect(body).toContain('Cannot check migrations: drizzle/meta/_journal.json: no such file');
      expect(body).not.toContain(root);
      await rename(join(root, 'away'), join(root, 'drizzle'));
      await until([]);
    });

    it.each([
      ['is no JSON', '{ "entries": ['],
      ['has no entries', '{}'],
      ['is empty', ''],
    ])('warns when the journal %s', async (_name, text) => {
      const file = join(root, 'drizzle/meta/_journal.json');
      await writeFile(file, text);
      expect(await said({ db: drizzle(pool), migrationsFolder: './drizzle' })).toEqual({
        'health.W008': expect.stringContaining('Cannot check migrations'),
      });
      await writeFile(file, JSON.stringify({ entries: [] }));
    });

    it('warns when the directory of Knex, or that of a Kysely provider, goes away', async () => {
      const directory = join(root, 'plain');
      const knex = knexAt(directory);
      const db = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });
      const provider = new FileMigrationProvider({ fs, path, migrationFolder: directory });
      const both = [beats(knex), beats({ db, provider })];
      for (const { until } of both) await until([]);
      await rm(directory, { recursive: true });
      for (const { until } of both) await until(['health.W008']);
      await mkdir(directory);
      for (const { until } of both) await until([]);
      await knex.destroy();
    });

    it('warns when the user may not read the table', async () => {
      await pool.query("CREATE ROLE poor LOGIN PASSWORD 'poor'");
      await pool.query('CREATE TABLE pgmigrations (name text)');
      const poor = new Pool({
        host: '127.0.0.1',
        port: server.port,
        user: 'poor',
        password: 'poor',
        database: 'postgres',
      });
      expect(await said({ dbClient: poor, dir: 'plain', migrationsTable: 'pgmigrations' })).toEqual({
        'health.W008': 'Cannot check migrations: the user lacks permission (42501)',
      });
      await poor.end();
    });

    it('informs only where the database cannot be asked at all', async () => {
      const gone = new Pool({ host: '127.0.0.1', port: await freePort() });
      expect(await said({ dbClient: gone, dir: 'plain', migrationsTable: 'pgmigrations' })).toEqual({
        'health.I001': expect.stringContaining('Cannot check migrations: connection refused'),
      });
      await gone.end();
    });
  },
);
