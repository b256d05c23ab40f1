import type { LogRecord } from '../core/log.js';
import { requestId } from '../core/request/request.js';
import { describe, scrub } from '../core/scrub/scrub.js';
import { isObject } from '../core/objects.js';
import { type RecordCarrier, recordKey } from './adopt.js';
import {
  envelope,
  type EnvelopeOptions,
  fieldsJson,
  nanoseconds,
  quote,
  scalarText,
  formatTraceback,
} from './formatter.js';

/** Options of `logConfig`. */
export interface LogConfigOptions extends EnvelopeOptions {
  /** The lowest level that is written, in pino's names. Default `debug`. */
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
 * Makes pino itself write the mozlog 2.0 envelope: children, mixins, serializers and redaction keep working,
 * and every line within a request has its `rid`.
 *
 * @example const app = Fastify({ logger: logConfig({ loggerName: 'acme' }) });
 */
export function logConfig({
  level = 'debug',
  type = 'app.log',
  ...options
}: LogConfigOptions = {}): LogConfig {
  const { origin, pid } = envelope(options);
  const appType = quote(scalarText(type));
  /** The record of lifesign in the line that pino is writing, if there is one: `log` receives it, `streamWrite` needs it. */
  let record: LogRecord | undefined;
  return {
    level,
    base: null,
    // pino puts this text between its level and the fields.
    timestamp: () => opening,
    formatters: {
      level: (_label, number) => ({ Severity: pinoSeverity(number) }),
      log(fields: RecordCarrier) {
        record = fields[recordKey]?.();
        return record === undefined ? fields : ownFields(fields, record);
      },
    },
    hooks: {
      streamWrite(written) {
        const { time = Date.now(), logger, msg, error } = record ?? {};
        // The message is for pino's own lines: here the fields say the same.
        const line =
          logger !== undefined && msg === undefined && error === undefined
            ? written.replace(/,"msg":"(?:[^"\\]|\\.)*"(?=\}\s*$)/, '')
            : written;
        const rid = record === undefined ? requestId() : undefined;
        record = undefined;
        const name = logger === undefined ? appType : quote(logger);
        const start = line.indexOf(opening);
        const fields = flatFields(line.slice(start + opening.length, line.lastIndexOf('}')), rid);
        return `${line.slice(0, start)},"Timestamp":${nanoseconds(time)},"Type":${name},${origin},${pid}${opening}${fields}}}\n`;
      },
    },
  };
}

const opening = ',"Fields":{';
/** Lines that are not flat, that some readers split in two, or whose message is empty or JSON itself. */
const unflat = /:[[{]|\}"$|"msg":""$|[\u007f-\u009f\u2028\u2029]/;

/** `Type` is the logger, and errors are written as JsonLogFormatter writes them. */
function ownFields(
  { logger: _logger, err: _err, ...fields }: Record<string, unknown>,
  { logger, error }: LogRecord,
): Record<string, unknown> {
  if (error === undefined) return fields;
  return { ...fields, error: describe(error), traceback: formatTraceback(error, logger) };
}

/** The fields as pino has written them, each with a comma before it, after the id of the request; flattened if they are not scalars. */
function flatFields(written: string, rid: string | undefined): string {
  const json = rid === undefined ? written.slice(1) : `"rid":${quote(rid)}${written}`;
  return unflat.test(json) ? flattened(json) : json;
}

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
      flat['error'] = scrub(`${value.type ?? 'Error'}: ${value.message}`).replace(/\s+/g, ' ');
      flat['traceback'] = scrub(value.stack);
      // pino uses the error's text as the message if there is none.
      if (typeof msg === 'string') message = scrub(msg);
    } else flat[key] = value;
  }
  return fieldsJson({ fields: flat, msg: message }, '');
}

function isSerializedError(value: unknown): value is { type?: string; message: string; stack: string } {
  if (!isObject(value) || !('stack' in value && 'message' in value)) return false;
  return typeof value.stack === 'string' && typeof value.message === 'string';
}

/** The syslog severity of pino's levels, custom ones included. */
function pinoSeverity(level: number): number {
  if (level >= 60) return 2;
  if (level >= 50) return 3;
  if (level >= 40) return 4;
  return level >= 30 ? 6 : 7;
}
