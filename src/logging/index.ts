export type { LoggerLike } from '../core/adopt-logger.js';
export type { Logger, LogRecord, Scalar } from '../core/log.js';
export { requestId } from '../core/request.js';
export type { EnvelopeOptions } from './envelope.js';
export { JsonLogFormatter } from './json-log-formatter.js';
export type { FormattableRecord, JsonLogFormatterOptions } from './json-log-formatter.js';
export { logConfig } from './pino.js';
export type { LogConfig, LogConfigOptions } from './pino.js';
export { stdoutLogger } from './stdout.js';
