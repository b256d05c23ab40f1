import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { PrismaLibSql } from '@prisma/adapter-libsql';
import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { connection, type Dialect, type Opened, type Place } from './place.js';

interface GeneratedPrisma {
  $queryRawUnsafe(sql: string): Promise<unknown>;
  $executeRawUnsafe(sql: string): Promise<number>;
  $connect(): Promise<void>;
  $disconnect(): Promise<void>;
}
type Constructor = new (options: { readonly adapter: object }) => GeneratedPrisma;

const made = new Map<Dialect, Constructor>();

/** Generates a real Prisma client, without a network: only migrations need the engine it would download. */
function clientFor(dialect: Dialect): Constructor {
  const known = made.get(dialect);
  if (known !== undefined) return known;
  const cache = `../../../node_modules/.cache/lifesign-prisma-${dialect}/`;
  const folder = fileURLToPath(new URL(cache, import.meta.url));
  mkdirSync(folder, { recursive: true });
  const provider = dialect === 'mariadb' ? 'mysql' : 'sqlite';
  const schema = `generator client {
  provider = "prisma-client-js"
  output   = "./client"
}
datasource db {
  provider = "${provider}"
}
model Thing {
  id Int @id
}
`;
  writeFileSync(`${folder}schema.prisma`, schema);
  const require = createRequire(import.meta.url);
  const prisma = require.resolve('prisma/build/index.js');
  execFileSync(process.execPath, [prisma, 'generate', '--schema', `${folder}schema.prisma`], {
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' },
    stdio: 'pipe',
  });
  const generated: { PrismaClient: Constructor } = require(`${folder}client`);
  made.set(dialect, generated.PrismaClient);
  return generated.PrismaClient;
}

/** The table as the migration engine makes it, which would have to be downloaded. */
const tables: Readonly<Record<Dialect, string>> = {
  mariadb: `CREATE TABLE IF NOT EXISTS _prisma_migrations (id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL,
    finished_at DATETIME(3), migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at DATETIME(3),
    started_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), applied_steps_count INTEGER UNSIGNED NOT NULL DEFAULT 0)`,
  sqlite: `CREATE TABLE IF NOT EXISTS "_prisma_migrations" ("id" TEXT PRIMARY KEY NOT NULL, "checksum" TEXT NOT NULL,
    "finished_at" DATETIME, "migration_name" TEXT NOT NULL, "logs" TEXT, "rolled_back_at" DATETIME,
    "started_at" DATETIME NOT NULL DEFAULT current_timestamp, "applied_steps_count" INTEGER UNSIGNED NOT NULL DEFAULT 0)`,
};

export function openPrisma(place: Place, names: readonly string[]): Opened {
  const Prisma = clientFor(place.dialect);
  const adapter =
    place.dialect === 'mariadb'
      ? new PrismaMariaDb({ ...connection(place), connectionLimit: 3, connectTimeout: 1000 })
      : new PrismaLibSql({ url: `file:${place.file}` });
  const db = new Prisma({ adapter });
  return {
    source: { db, migrationsFolder: place.folder },
    close: () => db.$disconnect(),
    async apply() {
      await db.$executeRawUnsafe(tables[place.dialect]);
      const verb = place.dialect === 'mariadb' ? 'INSERT IGNORE' : 'INSERT OR IGNORE';
      for (const name of names) {
        await db.$executeRawUnsafe(
          `${verb} INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('${name}', '', '${name}', CURRENT_TIMESTAMP)`,
        );
      }
    },
  };
}
