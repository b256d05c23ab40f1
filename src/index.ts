export * as checks from './checks/index.js';
export { Health } from './core/options/errors.js';
export type { Answer, Endpoint } from './core/endpoints.js';
export { LifesignError } from './core/options/errors.js';
export type { HealthCore } from './core/health.js';
export type { Heartbeat } from './core/heartbeat/heartbeat.js';
export type { Logger, LogRecord } from './core/log.js';
export type { Scalar } from './core/heartbeat/messages.js';
export { levels } from './core/heartbeat/messages.js';
export { statusOf } from './core/heartbeat/result.js';
export type { Level, Status } from './core/heartbeat/result.js';
export type { LevelName, MessageLevel } from './core/heartbeat/messages.js';
export { listenOptions } from './core/options/variables.js';
export type { ResolvedOptions } from './core/options/options.js';
export type { ProbesOptions } from './core/options/features.js';
export type { Report, ReportDetail } from './core/heartbeat/report.js';
export { requestId } from './core/request/request.js';
export type { CheckResult } from './core/heartbeat/result.js';
export { signals } from './core/heartbeat/signals.js';
export type {
  HeartbeatEvent,
  LoopEvent,
  SignalName,
  Signals,
  VerdictEvent,
} from './core/heartbeat/signals.js';
export { getVersion } from './core/version.js';
export type { Version, VersionCallback } from './core/version.js';
export { configure } from './frameworks/adonisjs/configure.js';
export { createHandler } from './profiles/extension.js';
export type { Handler, HealthOptions } from './profiles/extension.js';
