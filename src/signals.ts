export { signals } from './core/heartbeat/signals.js';
export type { HeartbeatEvent, SignalName, Signals } from './core/heartbeat/signals.js';
