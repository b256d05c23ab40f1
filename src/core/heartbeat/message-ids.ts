/** Every id of our own messages: their stable names in reports, logs and runbooks. One is never used for anything else. */
export const messageIds = {
  // Of every check.
  reentered: 'health.E009',
  threw: 'health.E011',
  timedOut: 'health.E012',
  stillRunning: 'health.E013',
  returnedOther: 'health.E014',
  leftOut: 'health.I002',
  noResult: 'health.E041',
  notRegistered: 'health.E030',
  refused: 'health.E042',

  // Databases and their pools.
  databaseUnreachable: 'health.E001',
  databaseUnusable: 'health.E002',
  databaseMisconfigured: 'health.E003',
  databaseError: 'health.E008',
  poolExhausted: 'health.E022',
  poolUsage: { warn: 'health.W009', error: 'health.E024', unknown: 'health.I005' },

  // Migrations.
  unappliedMigrations: 'health.W001',
  unknownMigrations: 'health.I003',
  migrationsUnreadable: 'health.W008',
  migrationsUnchecked: 'health.I001',

  // Redis and memcached.
  redisUnreachable: 'health.E004',
  redisMissing: 'health.E005',
  redisMisconfigured: 'health.E006',
  redisPingFailed: 'health.E007',
  redisError: 'health.E010',
  redisClusterDown: 'health.E023',
  redisBlocked: 'health.I004',
  redisMemory: { warn: 'health.W010', error: 'health.E025' },

  // Brokers of messages.
  brokerUnreachable: 'health.E031',
  brokerMissing: 'health.E032',
  brokerMisconfigured: 'health.E033',
  brokerFailed: 'health.E034',
  brokerError: 'health.E035',
  brokerBlocked: 'health.W013',

  // Work, its consumers, and schedules.
  progressStalled: 'health.E036',
  consumerStopped: 'health.E037',
  progressUnknown: 'health.E038',
  scheduleOverdue: 'health.E039',
  scheduleUnknown: 'health.E040',
  progressPaused: 'health.I006',
  progressRetrying: 'health.I007',
  lockLost: 'health.I008',
  scheduleStopped: 'health.I009',

  // The checks that are made with `checks.…`.
  http: { warn: 'health.W002', error: 'health.E015' },
  tcp: { warn: 'health.W003', error: 'health.E016' },
  disk: { warn: 'health.W004', error: 'health.E017' },
  memory: { warn: 'health.W005', error: 'health.E018' },
  eventLoop: { warn: 'health.W006', error: 'health.E019' },
  heapFull: 'health.E043',
  certificate: { warn: 'health.W014', error: 'health.E044', unknown: 'health.E045' },
  mongo: { warn: 'health.W007', error: 'health.E021' },
  grpc: { warn: 'health.W011', error: 'health.E026' },
  microservice: { warn: 'health.W012', error: 'health.E027' },

  // Checks of other libraries.
  indicator: { warn: 'health.W020', error: 'health.E020' },
} as const;
