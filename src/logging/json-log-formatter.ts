import type { LogRecord } from '../core/log.js';
import { describe } from '../core/scrub.js';
import { envelope, type EnvelopeOptions, nanoseconds, severityOf } from './envelope.js';
import { quote, scalarJson, scalarText } from './scalar.js';
import { tracebackOf } from './traceback.js';

/** Options of the formatter. */
export type JsonLogFormatterOptions = EnvelopeOptions;

/** What the formatter takes: a record of lifesign, or of another logger with fields of any kind. */
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
    const { origin, pid } = envelope(options);
    this.#origin = `,${origin},"Severity":`;
    this.#pid = `,${pid},"Fields":{`;
  }

  /** One line without its line feed. */
  format(record: FormattableRecord): string {
    const head = `{"Timestamp":${nanoseconds(record.time)},"Type":${quote(record.logger)}`;
    return `${head}${this.#origin}${severityOf(record.level)}${this.#pid}${fieldsJson(record)}}}`;
  }
}

/** The inside of `Fields`. */
export function fieldsJson({
  fields,
  msg,
  error,
}: Pick<FormattableRecord, 'fields' | 'msg' | 'error'>): string {
  const message = msg === undefined ? '' : messageOf(msg);
  let json = '';
  for (const key of keysOf(fields)) {
    // Said below, by the record itself.
    if (key === 'msg' && message !== '') continue;
    if (error !== undefined && (key === 'error' || key === 'traceback')) continue;
    const value = fieldJson(fields, key);
    if (value !== undefined) json += `,${quote(key)}:${value}`;
  }
  if (message !== '') json += `,"msg":${quote(message)}`;
  if (error !== undefined) {
    json += `,"error":${quote(describe(error))},"traceback":${quote(tracebackOf(error))}`;
  }
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
