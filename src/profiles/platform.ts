// The parts of a Health that edge workers do not have: in their build platform.edge.ts takes the place of this file.
export { registerBuiltIns } from '../checks/built-in.js';
export { startWatchdog } from '../watchdog/index.js';
export { drainServers } from './draining.js';
export { openFeatures } from './features.js';
