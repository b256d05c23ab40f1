// checks/index.ts on edge workers. The build adds the other factories: each throws absentCheck (scripts/build-edge.mjs).
export { Critical, Debug, Error, Info, isCheckMessage, Warning } from '../core/heartbeat/messages.js';
export { http } from '../checks/http.js';
