import { type Logger, silent } from '../core/log.js';
import { isObject } from '../core/objects.js';
import { requireValue } from '../core/options/read-option.js';
import type { Rule } from '../core/options/rules.js';
import { errorCopy } from '../core/scrub/error-copy.js';
import {
  fromLevelMethods,
  hasLevelMethods,
  hasMethods,
  isAdonis,
  type LevelMethods,
} from './level-methods.js';

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

/** The same logger with the one method that lifesign calls; recognised by shape, the most particular first. */
export function adoptLogger(logger: LoggerLike): Logger {
  if (isWinston(logger)) return fromWinston(logger);
  if (isAdonis(logger)) return fromLevelMethods(logger.pino);
  if (hasLevelMethods(logger)) return fromLevelMethods(logger);
  // The rest has only a `log` method of its own, or the option's rule has refused it.
  return 'log' in logger ? logger : silent;
}

interface Winston extends WinstonLike {
  log(entry: { level: string; message: string; [field: string]: unknown }): unknown;
}

const isWinston = (value: unknown): value is Winston =>
  hasMethods(value, 'log', 'configure') && 'transports' in value && 'levels' in value && !!value.levels;

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

/** Its `log` takes a record: one of a library, whatever it takes, has methods for its levels beside it. */
const isOwn = (value: unknown): value is Logger =>
  hasMethods(value, 'log') && !levelMethods.some((name) => hasMethods(value, name));
const levelMethods = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

const recognised: readonly ((value: unknown) => boolean)[] = [
  isWinston,
  (value) => isObject(value) && isAdonis(value),
  hasLevelMethods,
  isOwn,
];

export const loggerRule: Rule<LoggerLike | false | undefined> = {
  expects:
    'an object with a log(record) method, a pino or winston logger, another with child() whose level methods take an object and a message, or false',
  accepts: (value): value is LoggerLike | false =>
    value === false || recognised.some((recognises) => recognises(value)),
};

const fix = `For any other logger, write:
logger: {
  log: ({ logger, level, fields, msg = '' }) => yours[level < 30 ? 'info' : level < 40 ? 'warn' : 'error'](msg, { logger, ...fields }),
}`;

/** The value of the option; throws if it is not a logger. */
export function requireLogger(given: unknown): LoggerLike | false | undefined {
  return requireValue(given, loggerRule, 'logger', fix);
}

/** The logger that the option says; throws if it is not one. */
export function readLogger(given: unknown): Logger {
  const logger = requireLogger(given);
  return logger ? adoptLogger(logger) : silent;
}
