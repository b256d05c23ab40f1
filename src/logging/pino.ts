import type { LogRecord } from '../core/log.js';
import { isObject } from '../core/objects.js';
import { requestId } from '../core/request/request.js';
import { attempt } from '../core/runtime.js';
import { scrub } from '../core/scrub/scrub.js';
import { type RecordCarrier, recordKey } from './adopt.js';
import {
  type FormattableRecord,
  JsonLogFormatter,
  type JsonLogFormatterOptions,
  thrownFields,
  unreadable,
} from './formatter.js';

/** Options of `logConfig`. */
export interface LogConfigOptions extends JsonLogFormatterOptions {
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
    level: (label: string, level: number) => { level: number };
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
  const formatter = new JsonLogFormatter(options);
  /** The record of lifesign that pino is making a line of, if it is one: `log` sees it, `streamWrite` needs it. */
  let own: LogRecord | undefined;
  return {
    level,
    base: null,
    // The line gets its time with its envelope.
    timestamp: () => '',
    formatters: {
      level: (_label, number) => ({ level: number }),
      log(fields: RecordCarrier) {
        own = fields[recordKey]?.();
        return fields;
      },
    },
    hooks: {
      streamWrite(line) {
        const record = own;
        own = undefined;
        const read = () => {
          const written: Written = JSON.parse(line);
          return record === undefined ? recordOf(written, type) : ownRecord(written, record);
        };
        return `${formatter.format(attempt(read) ?? unreadable())}\n`;
      },
    },
  };
}

/** A line of pino. */
interface Written extends Readonly<Record<string, unknown>> {
  readonly level?: unknown;
  readonly msg?: unknown;
}

/** With the fields that children and mixins have added. The message of a line without one is for readers of pino's own lines. */
function ownRecord({ level: _level, msg: _msg, ...written }: Written, record: LogRecord): FormattableRecord {
  const { logger: _logger, err: _err, ...fields } = written;
  return { ...record, fields };
}

function recordOf({ level, msg, ...written }: Written, type: string): FormattableRecord {
  const rid = requestId();
  const fields: Record<string, unknown> = rid === undefined ? {} : { rid };
  let message = msg;
  for (const [key, value] of Object.entries(written)) {
    // An error as pino's serializer leaves it.
    if (isObject(value) && 'message' in value && 'stack' in value && typeof value.stack === 'string') {
      Object.assign(fields, thrownFields(value.stack));
      // pino uses the error's text as the message if there is none.
      if (typeof msg === 'string') message = scrub(msg);
    } else fields[key] = value;
  }
  return { logger: type, level: levelOf(Number(level)), time: Date.now(), fields, msg: message };
}

/** The level of a line of pino, whose own begin at 10 for `trace`; custom ones are between them. */
const levelOf = (level: number) => Math.min(50, Math.max(10, Math.floor(level / 10) * 10 - 10));
