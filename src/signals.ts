export { signals } from './core/heartbeat/signals.js';
export type { HeartbeatEvent, LoopEvent, SignalName, Signals } from './core/heartbeat/signals.js';
