import { recordUnderWay } from '../core/adopt-logger.js';
import { requestId } from '../core/request/request.js';
import { describe, scrub } from '../core/scrub/scrub.js';
import { envelope, type EnvelopeOptions, nanoseconds } from './line/envelope.js';
import { fieldsJson } from './line/json-log-formatter.js';
import { quote, scalarText } from './line/scalar.js';
import { tracebackOf } from './line/traceback.js';

/** Options of `logConfig`. */
export interface LogConfigOptions extends EnvelopeOptions {
  /** The lowest level that is written, by pino's names. Default `debug`. */
  readonly level?: string | undefined;
  /** The `Type` field of the application's own lines. Default `app.log`. */
  readonly type?: string | undefined;
}

/** Options for pino 9.6 and later, and so for Fastify's `logger` and AdonisJS's `config/logger.ts`. */
export interface LogConfig {
  level: string;
  base: null;
  timestamp: () => string;
  formatters: {
    level: (label: string, level: number) => { Severity: number };
    log: (fields: Record<string, unknown>) => Record<string, unknown>;
  };
  hooks: { streamWrite: (line: string) => string };
}

/**
 * Has pino itself write the mozlog 2.0 envelope: children, mixins, serializers and redaction work as ever,
 * and every line below a request carries its `rid`.
 *
 * @example const app = Fastify({ logger: logConfig({ loggerName: 'acme' }) });
 */
export function logConfig({
  level = 'debug',
  type = 'app.log',
  ...options
}: LogConfigOptions = {}): LogConfig {
  const { origin, pid } = envelope(options);
  const own = quote(scalarText(type));
  return {
    level,
    base: null,
    // pino puts this text between its level and the fields: the place for the envelope and the opening of Fields.
    timestamp() {
      const record = recordUnderWay();
      const rid = record === undefined ? requestId() : undefined;
      const time = nanoseconds(record?.time ?? Date.now());
      const name = record === undefined ? own : quote(record.logger);
      const first = rid === undefined ? '' : `"rid":${quote(rid)}`;
      return `,"Timestamp":${time},"Type":${name},${origin},${pid}${opening}${first}`;
    },
    formatters: {
      level: (_label, number) => ({ Severity: severityOf(number) }),
      log(fields) {
        const record = recordUnderWay();
        if (record === undefined) return fields;
        // `Type` says the logger, and what was thrown is told as JsonLogFormatter tells it.
        const { logger: _logger, err: _err, ...rest } = fields;
        if (record.error === undefined) return rest;
        return {
          ...rest,
          error: describe(record.error),
          traceback: tracebackOf(record.error, record.logger),
        };
      },
    },
    hooks: { streamWrite: closeFields },
  };
}

const opening = ',"Fields":{';
/** What is not flat, not one line for every reader, or a message that is JSON itself or empty. */
const unfit = /:[[{]|\}"$|"msg":""$|[\u007f-\u009f\u2028\u2029]/;

/** Closes the object that `timestamp` has opened, and makes its fields scalars where they are not. */
function closeFields(line: string): string {
  const start = line.indexOf(opening) + opening.length;
  // The first field has a comma before it where no rid came first.
  const first = line.charCodeAt(start) === comma ? start + 1 : start;
  const fields = line.slice(first, line.lastIndexOf('}'));
  return `${line.slice(0, start)}${unfit.test(fields) ? flattened(fields) : fields}}}\n`;
}

const comma = 44;

function flattened(json: string): string {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(`{${json}}`);
  } catch {
    return `"msg":${quote(json)}`;
  }
  const { msg, ...fields } = parsed;
  const flat: Record<string, unknown> = {};
  let message = msg;
  for (const [key, value] of Object.entries(fields)) {
    // An error as pino's serializer leaves it.
    if (isSerializedError(value)) {
      flat['error'] = scrub(`${value.type ?? 'Error'}: ${value.message}`.replace(/\s+/g, ' '));
      flat['traceback'] = scrub(value.stack);
      // pino takes the error's text for a message where there is none.
      if (typeof msg === 'string') message = scrub(msg);
    } else flat[key] = value;
  }
  return fieldsJson({ fields: flat, msg: message }, '');
}

function isSerializedError(value: unknown): value is { type?: string; message: string; stack: string } {
  if (typeof value !== 'object' || value === null || !('stack' in value && 'message' in value)) return false;
  return typeof value.stack === 'string' && typeof value.message === 'string';
}

/** The syslog severity of pino's levels, custom ones included. */
function severityOf(level: number): number {
  if (level >= 60) return 2;
  if (level >= 50) return 3;
  if (level >= 40) return 4;
  return level >= 30 ? 6 : 7;
}
