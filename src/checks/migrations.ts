import { clientUnsupported } from '../core/errors.js';
import { Info, Warning } from '../core/messages.js';
import type { Check } from '../core/registry.js';
import { describe } from '../core/scrub.js';
import { hasMethods } from './client.js';

/** What option `migrations` takes: a Kysely Migrator. */
export interface MigrationSource {
  getMigrations(): Promise<readonly { readonly name: string; readonly executedAt?: Date | undefined }[]>;
}

export const migrationNames: readonly string[] = ['Kysely Migrator'];

export function isMigrationSource(value: unknown): value is MigrationSource {
  return hasMethods(value, 'getMigrations');
}

const named = 10;

/** The check `check_migrations_applied`: what is on disk and not in the database. It writes nothing. */
export function checkMigrationsApplied(source: MigrationSource): Check {
  if (!isMigrationSource(source)) throw clientUnsupported('migrations', source, migrationNames);
  return async () => {
    try {
      const all = await source.getMigrations();
      const names = all.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
      if (names.length === 0) return [];
      const rest = names.length > named ? ` and ${names.length - named} more` : '';
      const text = `Unapplied migrations found: ${names.slice(0, named).join(', ')}${rest}`;
      return [new Warning(text, { id: 'health.W001' })];
    } catch (thrown) {
      const text = `Cannot check migrations: ${describe(thrown)}`;
      return [new Info(text, { id: 'health.I001' })];
    }
  };
}
