import type { Logger } from '../../core/log.js';
import { errorCopy } from '../../core/scrub/scrub.js';
import { hasMethods } from '../methods.js';

/** A winston logger. Its `log` is left out here, so that the one of `{ log: (record) => … }` has only one type. */
export interface WinstonLike {
  readonly levels: Readonly<Record<string, number>>;
  readonly transports: readonly object[];
  configure(options: never): unknown;
}
interface Winston extends WinstonLike {
  log(entry: { level: string; message: string; [field: string]: unknown }): unknown;
}

export const isWinston = (value: unknown): value is Winston =>
  hasMethods(value, 'log', 'configure') && 'transports' in value && 'levels' in value && !!value.levels;

export function fromWinston(winston: Winston): Logger {
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
