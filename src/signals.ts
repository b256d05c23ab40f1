export { signals } from './core/heartbeat/signals.js';
export type {
  HeartbeatEvent,
  LoopEvent,
  Sender,
  SignalName,
  Signals,
  VerdictChange,
  VerdictEvent,
} from './core/heartbeat/signals.js';
