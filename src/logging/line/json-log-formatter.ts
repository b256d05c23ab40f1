import type { LogRecord } from '../../core/log.js';
import { describe } from '../../core/scrub/scrub.js';
import { envelope, type EnvelopeOptions, nanoseconds, severityOf } from './envelope.js';
import { quote, scalarJson, scalarText } from './scalar.js';
import { summaryJson } from './summary-json.js';
import { tracebackOf } from './traceback.js';

/** Options of the formatter. */
export type JsonLogFormatterOptions = EnvelopeOptions;

/** The input of the formatter: a record of lifesign, or of another logger with fields of any kind. */
export interface FormattableRecord extends Pick<LogRecord, 'logger' | 'time' | 'error'> {
  readonly level: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly msg?: unknown;
}

/**
 * Turns a log record into one line of JSON in the mozlog 2.0 envelope. Pure: it writes nothing and never throws.
 *
 * @example new JsonLogFormatter({ loggerName: 'acme' }).format({ logger: 'billing', level: 20, time: Date.now(), fields: { order: 7 } });
 */
export class JsonLogFormatter {
  readonly #origin: string;
  readonly #pid: string;

  constructor(options: JsonLogFormatterOptions = {}) {
    const { origin, pid } = envelope(options ?? {});
    this.#origin = origin;
    this.#pid = pid;
  }

  /** One line, without the trailing newline. */
  format(record: FormattableRecord): string {
    try {
      const { logger, level, time } = record;
      return this.#line(typeof logger === 'string' ? logger : scalarText(logger), level, time, record);
    } catch {
      // Only callers without types pass values that throw when read.
      return this.#line('app.log', 40, Date.now(), { fields: {}, msg: unshowable });
    }
  }

  #line(
    logger: string,
    level: number,
    time: number,
    content: Pick<FormattableRecord, 'fields' | 'msg' | 'error'>,
  ): string {
    const head = `"Timestamp":${nanoseconds(time)},"Type":${quote(logger)},${this.#origin},"Severity":${severityOf(level)},${this.#pid}`;
    return `{${head},"Fields":{${fieldsJson(content, logger)}}}`;
  }
}

const unshowable = 'a log record that cannot be shown';

/** The line of a record of another logger; one line even if reading that record throws. */
export function lineOf(formatter: JsonLogFormatter, make: () => FormattableRecord): string {
  let record: FormattableRecord;
  try {
    record = make();
  } catch {
    record = { logger: 'app.log', level: 40, time: Date.now(), fields: {}, msg: unshowable };
  }
  return formatter.format(record);
}

/** The inside of `Fields`. */
export function fieldsJson(
  { fields, msg, error }: Pick<FormattableRecord, 'fields' | 'msg' | 'error'>,
  logger: string,
): string {
  if (msg === undefined && error === undefined) return summaryJson(fields) ?? anyJson(fields, '');
  const json = anyJson(fields, msg === undefined ? '' : messageOf(msg), error !== undefined);
  if (error === undefined) return json;
  const thrown = `"error":${quote(describe(error))},"traceback":${quote(tracebackOf(error, logger))}`;
  return json === '' ? thrown : `${json},${thrown}`;
}

function anyJson(fields: Readonly<Record<string, unknown>>, message: string, thrown = false): string {
  let json = '';
  for (const key of keysOf(fields)) {
    // Said below, by the record itself.
    if (key === 'msg' && message !== '') continue;
    if (thrown && (key === 'error' || key === 'traceback')) continue;
    const value = fieldJson(fields, key);
    if (value !== undefined) json += `,${quote(key)}:${value}`;
  }
  if (message !== '') json += `,"msg":${quote(message)}`;
  return json.slice(1);
}

function keysOf(fields: Readonly<Record<string, unknown>>): readonly string[] {
  try {
    return Object.keys(fields);
  } catch {
    return [];
  }
}

function fieldJson(fields: Readonly<Record<string, unknown>>, key: string): string | undefined {
  try {
    return scalarJson(fields[key]);
  } catch {
    return '"[threw]"';
  }
}

/** The message as text; empty for one that is a JSON object, which is there as fields already. */
function messageOf(msg: unknown): string {
  const text = scalarText(msg);
  return text.startsWith('{') && text.endsWith('}') ? '' : text;
}
