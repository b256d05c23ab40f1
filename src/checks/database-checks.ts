// Code of the database checks, in one file because an application with one of them usually has both.
export { databaseConnected, databaseOf } from './databases/index.js';
export { migrationsApplied } from './migrations/index.js';
