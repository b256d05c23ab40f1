export type { Logger, LogRecord, Scalar } from '../core/log.js';
export { JsonLogFormatter } from './json-log-formatter.js';
export type { JsonLogFormatterOptions } from './json-log-formatter.js';
export { stdoutLogger } from './stdout.js';
