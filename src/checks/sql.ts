// What the checks of databases load: an application with one of them has most often both.
export { databaseConnected, databaseOf } from './databases/index.js';
export { migrationsApplied } from './migrations/index.js';
