import { requestId } from '../core/request/request.js';
import { attempt } from '../core/runtime.js';
import { describe, scrub } from '../core/scrub/scrub.js';
import {
  type EnvelopeOptions,
  type FormattableRecord,
  JsonLogFormatter,
  scalarText,
  formatTraceback,
  unreadable,
} from './formatter.js';

/** Options of `winstonFormat` and `winstonConfig`. */
export interface WinstonOptions extends EnvelopeOptions {
  /** The `Type` field of the application's own lines. Default `app.log`. */
  readonly type?: string | undefined;
}

/** A format of winston. */
export interface WinstonFormat {
  transform<Info extends object>(info: Info): Info;
}

/** Options for `winston.createLogger`. */
export interface WinstonConfig {
  level: string;
  format: WinstonFormat;
  defaultMeta: object;
}

/** The levels of npm and of syslog, both of which winston has. */
const levels: Readonly<Record<string, number>> = {
  emerg: 50,
  alert: 50,
  crit: 50,
  error: 40,
  warn: 30,
  warning: 30,
  notice: 20,
  info: 20,
  http: 20,
};
const debug = 10;

/** Where winston keeps the level before it was coloured, and the line of an entry. */
const levelKey = Symbol.for('level');
const lineKey = Symbol.for('message');

/**
 * A winston format: each entry is a line of JSON in the mozlog 2.0 envelope.
 *
 * @example winston.createLogger({ format: winstonFormat({ loggerName: 'acme' }), transports: [new winston.transports.Console()] });
 */
export function winstonFormat({ type = 'app.log', ...options }: WinstonOptions = {}): WinstonFormat {
  const formatter = new JsonLogFormatter(options);
  return {
    transform(info) {
      const record = attempt(() => toRecord(info, type)) ?? unreadable();
      Reflect.set(info, lineKey, formatter.format(record));
      return info;
    },
  };
}

function toRecord(info: object, type: string): FormattableRecord {
  const entry: Record<string, unknown> = Object.fromEntries(Object.entries(info));
  const { level, message, logger: name, time, stack, error, ...rest } = entry;
  const logger = typeof name === 'string' ? name : type;
  const thrown = info instanceof Error ? info : error;
  const fields = {
    ...rest,
    ...(thrown instanceof Error
      ? { error: describe(thrown), traceback: formatTraceback(thrown, logger) }
      : stackFields(stack, error)),
  };
  const text = info instanceof Error ? info.message : scalarText(message ?? '');
  return {
    logger,
    level: levels[String(Reflect.get(info, levelKey) ?? level)] ?? debug,
    time: typeof time === 'number' ? time : Date.now(),
    fields,
    msg: 'traceback' in fields ? scrub(text) : text,
  };
}

/**
 * `winstonFormat`, with the `rid` in every entry within a request.
 *
 * @example winston.createLogger({ ...winstonConfig({ loggerName: 'acme' }), transports: [new winston.transports.Console()] });
 */
export function winstonConfig({
  level = 'info',
  ...options
}: WinstonOptions & { readonly level?: string | undefined } = {}): WinstonConfig {
  return { level, format: winstonFormat(options), defaultMeta: requestMeta };
}

/**
 * The fields that winston copies into an entry when it is created: the format may run later, in the context of another request.
 * Outside of a request there is nothing to copy, and an entry's own rid stays.
 */
const requestMeta = new Proxy(
  {},
  {
    ownKeys: () => (requestId() === undefined ? [] : ['rid']),
    getOwnPropertyDescriptor: (_target, key) =>
      key === 'rid' ? { value: requestId(), enumerable: true, configurable: true } : undefined,
    get: (_target, key) => (key === 'rid' ? requestId() : undefined),
  },
);

/** winston keeps only the stack of an error that was passed after a message. */
function stackFields(stack: unknown, error: unknown): Record<string, unknown> {
  if (typeof stack !== 'string') return error === undefined ? {} : { error };
  const clean = scrub(stack);
  return { error: clean.split('\n', 1)[0], traceback: clean };
}
