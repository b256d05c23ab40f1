import { PrismaLibSql } from '@prisma/adapter-libsql';
import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { generatePrisma7 } from '../prisma.js';
import { connection, type Dialect, type Opened, type Place } from './place.js';

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
  const Prisma = generatePrisma7(place.dialect === 'mariadb' ? 'mysql' : 'sqlite');
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
