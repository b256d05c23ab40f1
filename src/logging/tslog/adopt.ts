import type { Logger } from '../../core/log.js';
import { errorCopy } from '../../core/scrub/scrub.js';
import { hasMethods, methods } from '../methods.js';

/** A tslog logger: an object of fields is the record. Its `log` takes the number and the name of a level first. */
export interface TsLogLike {
  getSubLogger(...settings: never[]): unknown;
  attachTransport(transport: never): unknown;
  debug(record: object): unknown;
  info(record: object): unknown;
  warn(record: object): unknown;
  error(record: object): unknown;
  fatal(record: object): unknown;
}

export const isTsLog = (value: unknown): value is TsLogLike =>
  hasMethods(value, 'getSubLogger', 'attachTransport', 'debug', 'info', 'warn', 'error', 'fatal');

export function fromTsLog(tsLog: TsLogLike): Logger {
  return {
    log({ logger, level, fields, msg, error }) {
      const copy = errorCopy(error);
      // An Error inside of a record would be printed as {}.
      const thrown = error !== undefined && { error: copy instanceof Error ? copy.stack : copy };
      tsLog[methods[level]]({ logger, ...fields, ...(msg !== undefined && { msg }), ...thrown });
    },
  };
}
