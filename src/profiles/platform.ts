// What a Health has on Node and not on edge workers: in their build platform.edge.ts takes the place of this file.
export { registerBuiltIns } from '../checks/built-in.js';
export { startWatchdog } from '../watchdog/index.js';
export { drainServers } from './draining.js';
export { openFeatures } from './features.js';
