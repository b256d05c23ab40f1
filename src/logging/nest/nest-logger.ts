import type { MessageLevel } from '../../core/heartbeat/messages.js';
import { requestId } from '../../core/request/request.js';
import { scrub } from '../../core/scrub/scrub.js';
import type { EnvelopeOptions } from '../line/envelope.js';
import { JsonLogFormatter, lineOf } from '../line/json-log-formatter.js';
import { stdoutWrite } from '../stdout/stdout.js';
import { withHeading } from '../line/traceback.js';
import { isRecord } from '../../core/objects.js';

/** Options of `NestLogger`. */
export interface NestLoggerOptions extends EnvelopeOptions {
  /** The `Type` field of lines without a context. Default `app.log`. */
  readonly type?: string | undefined;
  /** The levels that are written, in Nest's names. Default: all. */
  readonly logLevels?: readonly NestLevel[] | undefined;
  /** Where lines go. Default: standard output. */
  readonly write?: ((line: string) => void) | undefined;
}

const levels = { verbose: 10, debug: 10, log: 20, warn: 30, error: 40, fatal: 50 } as const;

/** `verbose`, `debug`, `log`, `warn`, `error` or `fatal`. */
export type NestLevel = keyof typeof levels;

/**
 * A NestJS `LoggerService`: each message is a line of JSON in the mozlog 2.0 envelope, its context the `Type`.
 *
 * @example const app = await NestFactory.create(AppModule, { logger: new NestLogger({ loggerName: 'acme' }) });
 */
export class NestLogger {
  readonly #formatter: JsonLogFormatter;
  readonly #type: string;
  readonly #write: (line: string) => void;
  #levels: ReadonlySet<string>;

  constructor({ type = 'app.log', logLevels, write, ...options }: NestLoggerOptions = {}) {
    this.#formatter = new JsonLogFormatter(options);
    this.#type = type;
    this.#write = write ?? stdoutWrite(this.#formatter);
    this.#levels = new Set(logLevels ?? Object.keys(levels));
  }

  log(message: unknown, ...more: readonly unknown[]): void {
    this.#logAll('log', message, more);
  }
  error(message: unknown, ...more: readonly unknown[]): void {
    this.#logAll('error', message, more);
  }
  warn(message: unknown, ...more: readonly unknown[]): void {
    this.#logAll('warn', message, more);
  }
  debug(message: unknown, ...more: readonly unknown[]): void {
    this.#logAll('debug', message, more);
  }
  verbose(message: unknown, ...more: readonly unknown[]): void {
    this.#logAll('verbose', message, more);
  }
  fatal(message: unknown, ...more: readonly unknown[]): void {
    this.#logAll('fatal', message, more);
  }

  /** Writes only these levels. */
  setLogLevels(logLevels: readonly NestLevel[]): void {
    this.#levels = new Set(logLevels);
  }

  /** Nest's convention: further messages, then perhaps a stack, then perhaps the context. */
  #logAll(name: NestLevel, message: unknown, more: readonly unknown[]): void {
    if (!this.#levels.has(name)) return;
    const rest = [...more];
    const last = rest.at(-1);
    const context = typeof last === 'string' && !isStack(last) ? (rest.pop(), last) : undefined;
    const stack = rest.find(isStack);
    for (const each of [message, ...rest.filter((other) => other !== undefined && !isStack(other))]) {
      this.#logOne(levels[name], context ?? this.#type, each, stack);
    }
  }

  #logOne(level: MessageLevel, logger: string, message: unknown, stack: string | undefined): void {
    const line = lineOf(this.#formatter, () => {
      const rid = requestId();
      const traceback = stack === undefined ? undefined : withHeading(scrub(stack), logger);
      const more = { ...(rid !== undefined && { rid }), traceback };
      const record = { logger, level, time: Date.now() };
      if (isThrown(message)) return { ...record, fields: more, error: message };
      if (isFields(message)) return { ...record, fields: { ...readable(message), ...more } };
      return { ...record, fields: more, msg: message };
    });
    this.#write(`${line}\n`);
  }
}

const isStack = (value: unknown): value is string =>
  typeof value === 'string' && /\n[ \t]{1,16}at /.test(value);

function isThrown(value: unknown): boolean {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

function isFields(value: unknown): value is Record<string, unknown> {
  try {
    return isRecord(value);
  } catch {
    return false;
  }
}

/** The fields of an object, those too whose getters throw. */
function readable(value: Record<string, unknown>): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) {
    try {
      fields[key] = value[key];
    } catch {
      fields[key] = '[threw]';
    }
  }
  return fields;
}
