import type { HealthCore } from '../core/health.js';
import { checkDatabaseConnected, type DatabaseClient } from './database.js';
import { checkMigrationsApplied, type MigrationSource } from './migrations.js';
import { checkRedisConnected, type RedisClient } from './redis.js';

/** The clients of the built-in checks: each one given registers its check. */
export interface BuiltInOptions {
  /** A database client or pool: registers `check_database_connected`. */
  readonly db?: DatabaseClient | undefined;
  /** A Redis client: registers `check_redis_connected`. */
  readonly redis?: RedisClient | undefined;
  /** A migrator: registers `check_migrations_applied`. */
  readonly migrations?: MigrationSource | undefined;
}

/** Registers a built-in check for each client that is given. */
export function registerBuiltIns<Request>(
  health: HealthCore<Request>,
  { db, redis, migrations }: BuiltInOptions,
): void {
  if (db !== undefined) health.check('check_database_connected', checkDatabaseConnected(db));
  if (migrations !== undefined) health.check('check_migrations_applied', checkMigrationsApplied(migrations));
  if (redis !== undefined) health.check('check_redis_connected', checkRedisConnected(redis));
}
