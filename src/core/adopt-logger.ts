import { errorCopy } from './scrub/error-copy.js';
import type { Logger, LogRecord } from './log.js';
import { statusOf } from './heartbeat/messages.js';
import { describe, textOf } from './scrub/scrub.js';
import { shared } from './shared.js';

/** pino, the logger of AdonisJS, Fastify's `app.log`: fields first, then the message. */
interface PinoLike {
  child(bindings: Record<string, never>): unknown;
  debug(fields: object, msg?: string): void;
  info(fields: object, msg?: string): void;
  warn(fields: object, msg?: string): void;
  error(fields: object, msg?: string): void;
  fatal?(fields: object, msg?: string): void;
}

/** A winston logger. Its `log` is left out here, so that the one of `{ log: (record) => … }` has one type alone. */
interface WinstonLike {
  readonly levels: Readonly<Record<string, number>>;
  readonly transports: readonly object[];
  configure(options: never): unknown;
}
interface Winston extends WinstonLike {
  log(entry: { level: string; message: string; [field: string]: unknown }): unknown;
}

/** A LogTape logger: each logger of ours is a category below it. */
interface LogTapeLike {
  readonly category: readonly string[];
  getChild(category: readonly [string, ...string[]]): {
    emit(record: {
      level: 'debug' | 'info' | 'warning' | 'error' | 'fatal';
      message: readonly unknown[];
      rawMessage: string;
      timestamp: number;
      properties: Record<string, unknown>;
    }): void;
  };
}

/** A NestJS `LoggerService`, or the console: message first, then what it belongs to. By its type it is a Logger too. */
interface NestLike {
  log(message: unknown, ...context: string[]): unknown;
  warn(message: unknown, ...context: string[]): unknown;
  error(message: unknown, ...more: string[]): unknown;
  debug?(message: unknown, ...context: string[]): unknown;
  fatal?(message: unknown, ...more: string[]): unknown;
}

/** What the option `logger` takes: a method of your own, or the logger that the application has already. */
export type LoggerLike = Logger | PinoLike | WinstonLike | LogTapeLike;

/** Whether a value can be used as a logger. */
export function isLoggerLike(value: unknown): value is LoggerLike {
  return isPino(value) || isLogTape(value) || hasMethods(value, 'log');
}

/** The same logger with the one method that lifesign calls; recognised by shape, the most particular first. */
export function adoptLogger(logger: LoggerLike): Logger {
  if (isLogTape(logger)) return fromLogTape(logger);
  if (isWinston(logger)) return fromWinston(logger);
  if (isAdonis(logger)) return fromPino(logger.pino);
  if (isPino(logger)) return fromPino(logger);
  if (isNest(logger)) return fromNest(logger);
  // Only the type of winston has no `log`: what is here has one, or the option's rule has refused it.
  return 'log' in logger ? logger : { log: () => {} };
}

const handing = /* @__PURE__ */ shared<{ record?: LogRecord | undefined }>('handing', () => ({}));

/** The record that is being handed to a pino logger right now: its envelope may want logger and time of it. */
export function recordUnderWay(): LogRecord | undefined {
  return handing.record;
}

const pinoMethods = { 10: 'debug', 20: 'info', 30: 'warn', 40: 'error', 50: 'fatal' } as const;

function fromPino(pino: PinoLike): Logger {
  return {
    log(record) {
      const { logger, level, fields, msg, error } = record;
      const method = pinoMethods[level];
      handing.record = record;
      try {
        const all = { logger, ...fields, ...(error !== undefined && { err: errorCopy(error) }) };
        // Without a message pino would take that of the error, secrets and all.
        const text = msg ?? (error === undefined ? undefined : textOf(error));
        if (method === 'fatal' && pino.fatal === undefined) pino.error(all, text);
        else pino[method]?.(all, text);
      } finally {
        handing.record = undefined;
      }
    },
  };
}

function fromWinston(winston: Winston): Logger {
  const named = (...names: readonly string[]) => names.find((name) => Object.hasOwn(winston.levels, name));
  const levels = {
    10: named('debug') ?? 'debug',
    20: named('info') ?? 'info',
    30: named('warn', 'warning') ?? 'warn',
    40: named('error') ?? 'error',
    50: named('crit', 'fatal', 'critical', 'error') ?? 'error',
  };
  return {
    log({ logger, level, time, fields, msg = '', error }) {
      const thrown = error !== undefined && { error: errorCopy(error) };
      winston.log({ ...fields, ...thrown, logger, time, level: levels[level], message: msg });
    },
  };
}

function fromLogTape(logTape: LogTapeLike): Logger {
  return {
    log({ logger, level, time, fields, msg = '', error }) {
      const [first = logger, ...rest] = logger.split('.');
      const status = statusOf(level);
      logTape.getChild([first, ...rest]).emit({
        level: status === 'critical' || status === 'ok' ? 'fatal' : status,
        message: [msg],
        rawMessage: msg,
        timestamp: time,
        properties: { ...fields, ...(error !== undefined && { error: errorCopy(error) }) },
      });
    },
  };
}

function fromNest(nest: NestLike): Logger {
  return {
    log({ logger, level, fields, msg, error }) {
      const thrown = error !== undefined && { error: describe(error) };
      // A second context would be printed as a message of its own.
      const context = hasOwnContext(nest) ? [] : [logger];
      const name = context.length === 0 && { logger };
      const all = { ...name, ...fields, ...(msg !== undefined && { msg }), ...thrown };
      const copy = errorCopy(error);
      const stack = copy instanceof Error ? copy.stack : undefined;
      if (level === 10) nest.debug?.(all, ...context);
      else if (level === 20) nest.log(all, ...context);
      else if (level === 30) nest.warn(all, ...context);
      else {
        // By Nest's convention the stack stands between message and context.
        const more = stack === undefined ? context : [stack, ...context];
        if (level !== 50 || nest.fatal === undefined) nest.error(all, ...more);
        // Of a stack beside it, fatal() of NestJS 11 itself makes an entry of its own.
        else if (stack !== undefined && isNestsOwn(nest)) nest.fatal({ ...all, stack }, ...context);
        else nest.fatal(all, ...more);
      }
    },
  };
}

const isLogTape = (value: unknown): value is LogTapeLike =>
  hasMethods(value, 'getChild') && 'category' in value && Array.isArray(value.category);
const isWinston = (value: unknown): value is Winston =>
  hasMethods(value, 'log', 'configure') && 'levels' in value && 'transports' in value;
const isPino = (value: unknown): value is PinoLike =>
  hasMethods(value, 'child', 'debug', 'info', 'warn', 'error') && !hasMethods(value, 'log');
/** A logger of AdonisJS is one of pino with a method `log` of its own. */
const isAdonis = (value: object): value is { pino: PinoLike } => 'pino' in value && isPino(value.pino);
const isNest = (value: unknown): value is NestLike => hasMethods(value, 'log', 'warn', 'error');

/** `Logger` and `ConsoleLogger` of @nestjs/common. */
const isNestsOwn = (nest: object) => 'localInstance' in nest || 'printStackTrace' in nest;

/** `new Logger('health')` of @nestjs/common adds its context to whatever it is given. */
const hasOwnContext = (nest: object) => 'localInstance' in nest && 'context' in nest && !!nest.context;

function hasMethods(value: unknown, ...names: readonly string[]): value is object {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}
