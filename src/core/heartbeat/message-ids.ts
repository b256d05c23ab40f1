// Every id of our own messages: their stable names in reports, logs and runbooks. One is never used for anything else.
// A constant each: a bundle has only those that it uses. A check with two thresholds has one id, as a warning and as an error.

// Of every check.
export const reentered = 'health.E009';
export const threw = 'health.E011';
export const timedOut = 'health.E012';
export const stillRunning = 'health.E013';
export const returnedOther = 'health.E014';
export const leftOut = 'health.I002';
export const noResult = 'health.E041';
export const notRegistered = 'health.E030';
export const refused = 'health.E042';

// Databases and their pools.
export const databaseUnreachable = 'health.E001';
export const databaseUnusable = 'health.E002';
export const databaseMisconfigured = 'health.E003';
export const databaseError = 'health.E008';
export const poolExhausted = 'health.E022';
export const poolUsage = 'health.E024';
export const poolUsageUnknown = 'health.I005';

// Migrations.
export const unappliedMigrations = 'health.W001';
export const unknownMigrations = 'health.I003';
export const migrationsUnreadable = 'health.W008';
export const migrationsUnchecked = 'health.I001';

// Redis and Valkey.
export const redisUnreachable = 'health.E004';
export const redisMissing = 'health.E005';
export const redisMisconfigured = 'health.E006';
export const redisPingFailed = 'health.E007';
export const redisError = 'health.E010';
export const redisClusterDown = 'health.E023';
export const redisBlocked = 'health.I004';

// Brokers of messages.
export const brokerUnreachable = 'health.E031';
export const brokerMissing = 'health.E032';
export const brokerMisconfigured = 'health.E033';
export const brokerFailed = 'health.E034';
export const brokerBlocked = 'health.W013';

// Work, its consumers, and schedules.
export const progressStalled = 'health.E036';
export const consumerStopped = 'health.E037';
export const progressUnknown = 'health.E038';
export const scheduleOverdue = 'health.E039';
export const progressPaused = 'health.I006';
export const lockLost = 'health.I008';

// The checks that are made with `checks.…`.
export const http = 'health.E015';
export const tcp = 'health.E016';
export const disk = 'health.E017';
export const memory = 'health.E018';
export const eventLoop = 'health.E019';
export const certificate = 'health.E044';
export const mongo = 'health.E021';
export const grpc = 'health.E026';

// Checks of other libraries.
export const indicator = 'health.E020';
