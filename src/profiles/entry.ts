// The exports of every framework's entry, beside its own Health and its noteError; entries for a Request have a requestId of their own.
export * as checks from '../checks/index.js';
export { LifesignError } from '../core/options/errors.js';
export { listenOptions } from '../core/options/variables.js';
export { signals } from '../core/heartbeat/signals.js';
export type { HeartbeatEvent, SignalName, Signals } from '../core/heartbeat/signals.js';
export { requestId } from '../core/request/request.js';
