// checks/index.ts on edge workers: checks of clients, sockets and the process are not there.
import type * as all from '../checks/index.js';
import { absent } from './errors.js';

export { Critical, Debug, Error, Info, isCheckMessage, Warning } from '../core/heartbeat/messages.js';
export { http } from '../checks/http.js';

const ownCheck = "Write a check of your own: health.check('name', async ({ signal }) => …)";

export const checkBrokerConnected: typeof all.checkBrokerConnected = absent(
  'checks.checkBrokerConnected',
  ownCheck,
);
export const checkDatabaseConnected: typeof all.checkDatabaseConnected = absent(
  'checks.checkDatabaseConnected',
  ownCheck,
);
export const checkMigrationsApplied: typeof all.checkMigrationsApplied = absent(
  'checks.checkMigrationsApplied',
  ownCheck,
);
export const checkRedisConnected: typeof all.checkRedisConnected = absent(
  'checks.checkRedisConnected',
  ownCheck,
);
export const certificate: typeof all.certificate = absent('checks.certificate');
export const disk: typeof all.disk = absent('checks.disk');
export const eventLoop: typeof all.eventLoop = absent('checks.eventLoop');
export const grpc: typeof all.grpc = absent('checks.grpc', ownCheck);
export const heap: typeof all.heap = absent('checks.heap');
export const memory: typeof all.memory = absent('checks.memory');
export const microservice: typeof all.microservice = absent('checks.microservice', ownCheck);
export const mongo: typeof all.mongo = absent('checks.mongo', ownCheck);
export const poolUsage: typeof all.poolUsage = absent('checks.poolUsage');
export const progress: typeof all.progress = absent('checks.progress', ownCheck);
export const redisMemory: typeof all.redisMemory = absent('checks.redisMemory');
export const schedule: typeof all.schedule = absent('checks.schedule', ownCheck);
export const tcp: typeof all.tcp = absent('checks.tcp', ownCheck);
