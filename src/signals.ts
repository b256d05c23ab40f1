export { signals } from './core/signals.js';
export type { HeartbeatEvent, SignalName, Signals } from './core/signals.js';
