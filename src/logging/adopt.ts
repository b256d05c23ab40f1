import { type Logger, silent } from '../core/log.js';
import { readOption } from '../core/options/read-option.js';
import type { Rule } from '../core/options/rules.js';
import { hasMethods } from './has-methods.js';
import { fromLogTape, isLogTape, type LogTapeLike } from './logtape/adopt.js';
import { fromNest, isNest } from './nest/adopt.js';
import { fromPino, isAdonis, isPino, type PinoLike } from './pino/adopt.js';
import { stdoutLogger } from './stdout/stdout.js';
import { fromWinston, isWinston, type WinstonLike } from './winston/adopt.js';

/** What the option `logger` takes: your own `log` method, or the logger that your application already has. */
export type LoggerLike = Logger | PinoLike | WinstonLike | LogTapeLike;

/** The option that says where log records go. */
export interface LoggerOption {
  /** Where log records go: `{ log(record) }`, or a pino, winston, LogTape or NestJS logger; false disables logging. Default: JSON lines on standard output; on Fastify the application's logger. */
  readonly logger?: LoggerLike | false | undefined;
}

/** The same logger with the one method that lifesign calls; recognised by shape, the most particular first. */
export function adoptLogger(logger: LoggerLike): Logger {
  if (isLogTape(logger)) return fromLogTape(logger);
  if (isWinston(logger)) return fromWinston(logger);
  if (isAdonis(logger)) return fromPino(logger.pino);
  if (isPino(logger)) return fromPino(logger);
  if (isNest(logger)) return fromNest(logger);
  // Only the type of winston has no `log`: what is here has one, or the option's rule has refused it.
  return 'log' in logger ? logger : silent;
}

export const loggerRule: Rule<LoggerLike | false | undefined> = {
  expects: 'an object with a log(record) method, a pino, winston, LogTape or NestJS logger, or false',
  accepts: (value): value is LoggerLike | false =>
    value === false || isPino(value) || isLogTape(value) || hasMethods(value, 'log'),
};

/** Makes the logger of the option when its name is known: adopted, silent for false, `byDefault` where none is given. */
export function loggerOf(
  given: unknown,
  byDefault = (loggerName: string): Logger => stdoutLogger({ loggerName }),
  label = 'logger',
  texts = false,
): (loggerName: string) => Logger {
  return (loggerName) => {
    const logger = readOption(given, 'logger', loggerRule, undefined, label, texts);
    if (logger === undefined) return byDefault(loggerName);
    return logger === false ? silent : adoptLogger(logger);
  };
}
