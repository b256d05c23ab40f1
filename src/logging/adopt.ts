import { type Logger, silent } from '../core/log.js';
import { readOption } from '../core/options/read-option.js';
import type { Rule } from '../core/options/rules.js';
import { hasMethods } from './methods.js';
import { fromLogTape, isLogTape, type LogTapeLike } from './logtape/adopt.js';
import { fromNest, isNest } from './nest/adopt.js';
import { fromPino, isAdonis, isPino, type PinoLike } from './pino/adopt.js';
import { fromTextLogger, isTextLogger, type TextLoggerLike } from './text/adopt.js';
import { fromTsLog, isTsLog, type TsLogLike } from './tslog/adopt.js';
import { fromWinston, isWinston, type WinstonLike } from './winston/adopt.js';
import { isObject } from '../core/objects.js';

/** The values of the option `logger`: your own `log` method, or the logger that your application already has. */
export type LoggerLike = Logger | PinoLike | WinstonLike | LogTapeLike | TsLogLike | TextLoggerLike;

/** The option that says where log records go. */
export interface LoggerOption {
  /** Where log records go: `{ log(record) }`, or a logger of pino, bunyan, winston, LogTape, NestJS, tslog, log4js, consola, loglevel or signale, or `console`; false disables logging. Default: JSON lines on standard output; on Fastify the application's logger. */
  readonly logger?: LoggerLike | false | undefined;
}

/** The same logger with the one method that lifesign calls; recognised by shape, the most particular first. */
export function adoptLogger(logger: LoggerLike): Logger {
  if (isLogTape(logger)) return fromLogTape(logger);
  if (isWinston(logger)) return fromWinston(logger);
  if (isAdonis(logger)) return fromPino(logger.pino);
  if (isPino(logger)) return fromPino(logger);
  if (isTsLog(logger)) return fromTsLog(logger);
  if (isTextLogger(logger)) return fromTextLogger(logger);
  if (isNest(logger)) return fromNest(logger);
  // The rest has only a `log` method of its own, or the option's rule has refused it.
  return 'log' in logger ? logger : silent;
}

/** Its `log` takes a record: one of a library, whatever it takes, has methods for its levels beside it. */
const isOwn = (value: unknown): value is Logger =>
  hasMethods(value, 'log') && !levelMethods.some((name) => hasMethods(value, name));
const levelMethods = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

const recognised: readonly ((value: unknown) => boolean)[] = [
  isLogTape,
  isWinston,
  (value) => isObject(value) && isAdonis(value),
  isPino,
  isTsLog,
  isTextLogger,
  isNest,
  isOwn,
];

export const loggerRule: Rule<LoggerLike | false | undefined> = {
  expects:
    'an object with a log(record) method, a pino, bunyan, winston, LogTape, NestJS, tslog, log4js, consola, loglevel or signale logger, console, or false; ' +
    'for any other logger write { log: (record) => … } and call it there',
  accepts: (value): value is LoggerLike | false =>
    value === false || recognised.some((recognises) => recognises(value)),
};

/** The logger that the option says; throws if it is not one. */
export function readLogger(given: unknown, label: string, texts: boolean): Logger {
  const logger = readOption(given, 'logger', loggerRule, undefined, label, texts);
  return logger ? adoptLogger(logger) : silent;
}
