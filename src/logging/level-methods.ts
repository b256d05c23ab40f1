import type { Logger, LogRecord } from '../core/log.js';
import { errorCopy } from '../core/scrub/error-copy.js';
import { textOf } from '../core/scrub/scrub.js';

/** Whether a value has methods of these names: loggers are recognised by their shape. */
export function hasMethods(value: unknown, ...names: readonly string[]): value is object {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}

const methods = { 10: 'debug', 20: 'info', 30: 'warn', 40: 'error', 50: 'fatal' } as const;

/** pino, the logger of AdonisJS, Fastify's `app.log`, bunyan: a method for each level, which takes an object and a message, and `child`. */
export interface LevelMethods {
  child(bindings: Record<string, never>): unknown;
  debug(fields: object, msg?: string): void;
  info(fields: object, msg?: string): void;
  warn(fields: object, msg?: string): void;
  error(fields: object, msg?: string): void;
  fatal?(fields: object, msg?: string): void;
}

export const hasLevelMethods = (value: unknown): value is LevelMethods =>
  hasMethods(value, 'child', 'debug', 'info', 'warn', 'error') && !hasMethods(value, 'log');

/** A logger of AdonisJS is one of pino with a method `log` of its own. */
export const isAdonis = (value: object): value is { pino: LevelMethods } =>
  'pino' in value && hasLevelMethods(value.pino);

/** Under this key the fields of a record carry the record itself, for `logConfig`; the same in all copies of the package. */
export const recordKey: unique symbol = Symbol.for('lifesign.record.1');

/** Fields with their record. A function: printing the fields does not show the error, secrets and all. */
export interface RecordCarrier extends Record<string, unknown> {
  [recordKey]?: () => LogRecord;
}

/** GET /orders/7 200 12 ms */
function requestOf({ method, path, code, t }: LogRecord['fields']): string | undefined {
  return method === undefined
    ? undefined
    : `${String(method)} ${String(path)} ${String(code)} ${String(t)} ms`;
}

export function fromLevelMethods(given: LevelMethods): Logger {
  return {
    log(record) {
      const { logger, level, fields, msg, error } = record;
      const method = methods[level];
      const all: RecordCarrier = { logger, ...fields, ...(error !== undefined && { err: errorCopy(error) }) };
      // In the literal it would take three times as long.
      all[recordKey] = () => record;
      // Without a message pino would take that of the error, secrets and all.
      const text = msg ?? (error === undefined ? requestOf(fields) : textOf(error));
      if (method === 'fatal' && given.fatal === undefined) given.error(all, text);
      else given[method]?.(all, text);
    },
  };
}
