import { clientUnsupported } from '../errors.js';
import { requireKnownOptions } from '../../core/options/read-option.js';
import type { Check } from '../../core/heartbeat/check.js';
import { migrationsCheck } from './check.js';
import { migrationNames, recogniseMigrations } from './shapes.js';
import type { MigrationSource } from './source-shapes.js';

export type { MigrationSource };

/** Options of `checks.checkMigrationsApplied`. */
export interface MigrationOptions {
  /** Where relative migration folders are looked up first. Default: the directory of the main script. */
  readonly root?: string;
}

/**
 * The check `check_migrations_applied`: compares the migrations of this build with those applied to the database. It only reads:
 * no table is created, no lock is taken.
 *
 * @example health.check('orders_migrations', checkMigrationsApplied(knex));
 */
export function checkMigrationsApplied(source: MigrationSource, options: MigrationOptions = {}): Check {
  requireKnownOptions(options, ['root'], 'checks.checkMigrationsApplied');
  const recognised = recogniseMigrations(source);
  if (recognised === undefined) throw clientUnsupported('migrations', source, migrationNames);
  return migrationsCheck(source, recognised, options.root);
}
