export { Critical, Debug, Error, Info, isCheckMessage, Warning } from '../core/heartbeat/messages.js';
export type { CheckMessage, MessageOptions } from '../core/heartbeat/messages.js';
export type { CheckOptions, CheckOptionsByName } from '../core/heartbeat/check.js';
export type { Check, CheckContext, CheckOutcome } from '../core/heartbeat/check.js';
export * from './factories.js';
