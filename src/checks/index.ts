export { Critical, Debug, Error, Info, isCheckMessage, Warning } from '../core/messages.js';
export type { CheckMessage, MessageOptions } from '../core/messages.js';
export type { CheckOptions, CheckOptionsByName } from '../core/check-options.js';
export type { Check, CheckContext, CheckOutcome } from '../core/registry.js';
export { checkDatabaseConnected, type DatabaseClient } from './database.js';
export { checkMigrationsApplied, type MigrationSource } from './migrations.js';
export { checkRedisConnected, type RedisClient } from './redis.js';
