// checks/factories.ts as it is published: the code of the factories is loaded with the first call of one.
import type * as all from './factories.js';
import { loadChecks } from './load.js';

export const checkBrokerConnected: typeof all.checkBrokerConnected = (...given) =>
  loadChecks().checkBrokerConnected(...given);
export const certificate: typeof all.certificate = (...given) => loadChecks().certificate(...given);
export const checkDatabaseConnected: typeof all.checkDatabaseConnected = (...given) =>
  loadChecks().checkDatabaseConnected(...given);
export const disk: typeof all.disk = (...given) => loadChecks().disk(...given);
export const eventLoop: typeof all.eventLoop = (...given) => loadChecks().eventLoop(...given);
export const grpc: typeof all.grpc = (...given) => loadChecks().grpc(...given);
export const heap: typeof all.heap = (...given) => loadChecks().heap(...given);
export const http: typeof all.http = (...given) => loadChecks().http(...given);
export const memory: typeof all.memory = (...given) => loadChecks().memory(...given);
export const microservice: typeof all.microservice = (...given) => loadChecks().microservice(...given);
export const checkMigrationsApplied: typeof all.checkMigrationsApplied = (...given) =>
  loadChecks().checkMigrationsApplied(...given);
export const mongo: typeof all.mongo = (...given) => loadChecks().mongo(...given);
export const poolUsage: typeof all.poolUsage = (...given) => loadChecks().poolUsage(...given);
export const progress: typeof all.progress = (...given) => loadChecks().progress(...given);
export const redisMemory: typeof all.redisMemory = (...given) => loadChecks().redisMemory(...given);
export const checkRedisConnected: typeof all.checkRedisConnected = (...given) =>
  loadChecks().checkRedisConnected(...given);
export const schedule: typeof all.schedule = (...given) => loadChecks().schedule(...given);
export const tcp: typeof all.tcp = (...given) => loadChecks().tcp(...given);
