import { type Logger, type LogRecord, silent } from '../core/log.js';
import { hasFunctions, isObject } from '../core/objects.js';
import { requireValue, type Rule } from '../core/options/rules.js';
import { errorCopy } from '../core/scrub/error-copy.js';
import { textOf } from '../core/scrub/scrub.js';
import { stdoutLogger } from './stdout.js';

const methods = { 10: 'debug', 20: 'info', 30: 'warn', 40: 'error', 50: 'fatal' } as const;

/** pino, the logger of AdonisJS, Fastify's `app.log`, bunyan: a method for each level, which takes an object and a message, and `child`. */
interface LevelMethods {
  child(bindings: Record<string, never>): unknown;
  debug(fields: object, msg?: string): void;
  info(fields: object, msg?: string): void;
  warn(fields: object, msg?: string): void;
  error(fields: object, msg?: string): void;
  fatal?(fields: object, msg?: string): void;
}

/** Under this key the fields of a record carry the record itself, for `logConfig`; the same in all copies of the package. */
export const recordKey: unique symbol = Symbol.for('lifesign.record.1');

/** Fields with their record. A function: printing the fields does not show the error, secrets and all. */
export interface RecordCarrier extends Record<string, unknown> {
  [recordKey]?: () => LogRecord;
}

/** GET /orders/7 200 12 ms */
function summaryText({ method, path, code, t }: LogRecord['fields']): string | undefined {
  return method === undefined
    ? undefined
    : `${String(method)} ${String(path)} ${String(code)} ${String(t)} ms`;
}

function fromLevelMethods(target: LevelMethods): Logger {
  return {
    log(record) {
      const { logger, level, fields, msg, error } = record;
      const method = methods[level];
      const all: RecordCarrier = { logger, ...fields, ...(error !== undefined && { err: errorCopy(error) }) };
      // In the literal it would take three times as long.
      all[recordKey] = () => record;
      // Without a message pino would use the error's, secrets included.
      const text = msg ?? (error === undefined ? summaryText(fields) : textOf(error));
      if (method === 'fatal' && target.fatal === undefined) target.error(all, text);
      else target[method]?.(all, text);
    },
  };
}

/** A winston logger. Its `log` is left out here, so that the one of `{ log: (record) => … }` has only one type. */
interface WinstonLike {
  readonly levels: Readonly<Record<string, number>>;
  readonly transports: readonly object[];
  configure(options: never): unknown;
}

/** The values of the option `logger`: your own `log` method, or the logger that your application already has. */
export type LoggerLike = Logger | LevelMethods | WinstonLike;

/** The option that says where log records go. */
export interface LoggerOption {
  /** Where log records go: `{ log(record) }`, a logger of pino or winston, or another whose level methods take an object and a message; false disables logging. Default: JSON lines on standard output; on Fastify the application's logger. */
  readonly logger?: LoggerLike | false | undefined;
}

interface Winston extends WinstonLike {
  log(entry: { level: string; message: string; [field: string]: unknown }): unknown;
}

function fromWinston(winston: Winston): Logger {
  const named = (...names: readonly string[]) => names.find((name) => Object.hasOwn(winston.levels, name));
  const levels = {
    10: 'debug',
    20: 'info',
    30: named('warn', 'warning') ?? 'warn',
    40: 'error',
    50: named('crit', 'fatal', 'critical') ?? 'error',
  };
  return {
    log({ logger, level, time, fields, msg = '', error }) {
      const thrown = error !== undefined && { error: errorCopy(error) };
      winston.log({ ...fields, ...thrown, logger, time, level: levels[level], message: msg });
    },
  };
}

const isWinston = (value: unknown): value is Winston =>
  hasFunctions(value, 'log', 'configure') && 'transports' in value && 'levels' in value && !!value.levels;

const hasLevelMethods = (value: unknown): value is LevelMethods =>
  hasFunctions(value, 'child', 'debug', 'info', 'warn', 'error') && !hasFunctions(value, 'log');

/** Its `log` takes a record. The `log` of a library takes something else, and has methods for levels beside it. */
const isOwn = (value: unknown): value is Logger =>
  hasFunctions(value, 'log') &&
  !['trace', ...Object.values(methods)].some((name) => hasFunctions(value, name));

/** The same logger with the one method that lifesign calls; recognised by its shape. Undefined if it is not a logger: only this function decides that. */
export function adoptLogger(value: unknown): Logger | undefined {
  if (isWinston(value)) return fromWinston(value);
  if (hasLevelMethods(value)) return fromLevelMethods(value);
  // A logger of AdonisJS is one of pino with a method `log` of its own.
  if (isObject(value) && 'pino' in value && hasLevelMethods(value.pino)) return fromLevelMethods(value.pino);
  return isOwn(value) ? value : undefined;
}

const loggerRule: Rule<LoggerLike | false | undefined> = {
  expects:
    'an object with a log(record) method, a pino or winston logger, another with child() whose level methods take an object and a message, or false',
  accepts: (value): value is LoggerLike | false => value === false || adoptLogger(value) !== undefined,
};

const fix = `For any other logger, write:
logger: {
  log: ({ logger, level, fields, msg = '' }) => yours[level < 30 ? 'info' : level < 40 ? 'warn' : 'error'](msg, { logger, ...fields }),
}`;

export function requireLogger(value: unknown): LoggerLike | false | undefined {
  return requireValue(value, loggerRule, 'logger', fix);
}

/** Makes the logger of the option when its name is known: adopted, silent for false, `byDefault` without the option. */
export function loggerOf(
  option: unknown,
  byDefault = (loggerName: string): Logger => stdoutLogger({ loggerName }),
): (loggerName: string) => Logger {
  return (loggerName) =>
    option === undefined ? byDefault(loggerName) : (adoptLogger(requireLogger(option)) ?? silent);
}
