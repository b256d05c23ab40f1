import type { Logger } from '../../core/log.js';
import { describe, errorCopy } from '../../core/scrub/scrub.js';
import { hasMethods } from '../methods.js';

/** A NestJS `LoggerService`: message first, then its context. By its type it is a Logger too. */
interface NestLike {
  log(message: unknown, ...context: string[]): unknown;
  warn(message: unknown, ...context: string[]): unknown;
  error(message: unknown, ...more: string[]): unknown;
  debug?(message: unknown, ...context: string[]): unknown;
  fatal?(message: unknown, ...more: string[]): unknown;
}

/** Its level for information is called `log`: a logger that has `info` beside it is of another library. */
export const isNest = (value: unknown): value is NestLike =>
  hasMethods(value, 'log', 'warn', 'error') && (!hasMethods(value, 'info') || isNestsOwn(value));

/** `Logger` and `ConsoleLogger` of @nestjs/common. */
function isNestsOwn(nest: object): boolean {
  return 'localInstance' in nest || 'printStackTrace' in nest;
}

/** `new Logger('health')` of @nestjs/common adds its context to whatever it is given. */
const hasOwnContext = (nest: object) => 'localInstance' in nest && 'context' in nest && !!nest.context;

export function fromNest(nest: NestLike): Logger {
  return {
    log({ logger, level, fields, msg, error }) {
      const thrown = error !== undefined && { error: describe(error) };
      // A second context would be printed as a message of its own.
      const named = hasOwnContext(nest);
      const context = named ? [] : [logger];
      const all = { ...(named && { logger }), ...fields, ...(msg !== undefined && { msg }), ...thrown };
      const copy = errorCopy(error);
      const stack = copy instanceof Error ? copy.stack : undefined;
      if (level === 10) nest.debug?.(all, ...context);
      else if (level === 20) nest.log(all, ...context);
      else if (level === 30) nest.warn(all, ...context);
      else {
        // By Nest's convention the stack is between message and context.
        const more = stack === undefined ? context : [stack, ...context];
        if (level !== 50 || nest.fatal === undefined) nest.error(all, ...more);
        // Of a stack beside it, fatal() of NestJS 11 itself makes an entry of its own.
        else if (stack !== undefined && isNestsOwn(nest)) nest.fatal({ ...all, stack }, ...context);
        else nest.fatal(all, ...more);
      }
    },
  };
}
