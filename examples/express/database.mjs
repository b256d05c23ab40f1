// An embedded SQLite database with migrations: Kysely over libsql. Any database that lifesign supports works.
import { promises as fs } from 'node:fs';
import path from 'node:path';
import { FileMigrationProvider, Kysely, Migrator, SqliteDialect } from 'kysely';
import Database from 'libsql';

const migrationFolder = path.join(import.meta.dirname, 'migrations');

export async function openDatabase() {
  const connection = new Database(':memory:');
  const db = new Kysely({ dialect: new SqliteDialect({ database: connection }) });
  const migrations = { db, provider: new FileMigrationProvider({ fs, path, migrationFolder }) };
  const { error } = await new Migrator(migrations).migrateToLatest();
  if (error) throw error;
  return { connection, db, migrations };
}
