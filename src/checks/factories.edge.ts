// The build for edge workers has this in place of factories.ts: the factories of checks that need sockets, files or clients throw.
import { notOnEdge, ownCheck } from '../core/options/errors.js';

export { http } from './http.js';

const absent = (name: string) => (): never => {
  throw notOnEdge(`checks.${name}`, ownCheck);
};

export const checkBrokerConnected: () => never = /* @__PURE__ */ absent('checkBrokerConnected');
export const certificate: () => never = /* @__PURE__ */ absent('certificate');
export const checkDatabaseConnected: () => never = /* @__PURE__ */ absent('checkDatabaseConnected');
export const disk: () => never = /* @__PURE__ */ absent('disk');
export const eventLoop: () => never = /* @__PURE__ */ absent('eventLoop');
export const grpc: () => never = /* @__PURE__ */ absent('grpc');
export const memory: () => never = /* @__PURE__ */ absent('memory');
export const checkMigrationsApplied: () => never = /* @__PURE__ */ absent('checkMigrationsApplied');
export const mongo: () => never = /* @__PURE__ */ absent('mongo');
export const poolUsage: () => never = /* @__PURE__ */ absent('poolUsage');
export const progress: () => never = /* @__PURE__ */ absent('progress');
export const checkRedisConnected: () => never = /* @__PURE__ */ absent('checkRedisConnected');
export const schedule: () => never = /* @__PURE__ */ absent('schedule');
export const tcp: () => never = /* @__PURE__ */ absent('tcp');
