import type { LogRecord } from '../core/log.js';
import { isError } from '../core/objects.js';
import { attempt, host, hostName } from '../core/runtime.js';
import { clean, describe } from '../core/scrub/scrub.js';

/** The fields that every line of a process has. */
export interface EnvelopeOptions {
  /** The `Logger` field of every line: which service wrote it. Default `lifesign`. */
  readonly loggerName?: string | undefined;
  /** The `Hostname` field. Default: the host name of the machine. */
  readonly hostname?: string | undefined;
  /** The `Pid` field. Default: the process id. */
  readonly pid?: number | undefined;
}

/** The fields of the mozlog 2.0 envelope that never change, as pieces of JSON. */
export function envelope(options: EnvelopeOptions): { readonly origin: string; readonly pid: string } {
  const { loggerName = 'lifesign', hostname = hostName(), pid } = options;
  return {
    origin: `"Logger":${quote(scalarText(loggerName))},"Hostname":${quote(scalarText(hostname))},"EnvVersion":"2.0"`,
    pid: `"Pid":${isPid(pid) ? pid : (host.pid ?? 0)}`,
  };
}

/** Callers without types may give anything. */
function isPid(pid: unknown): pid is number {
  return typeof pid === 'number' && Number.isSafeInteger(pid) && pid >= 0;
}

/** The syslog severities of the levels; a level that is not one of these is 7, debug. */
const severities: ReadonlyMap<number, number> = new Map([
  [10, 7],
  [20, 6],
  [30, 4],
  [40, 3],
  [50, 2],
]);

/** Milliseconds as nanoseconds. These do not fit a JavaScript number: zeros are appended to the digits of microseconds. */
export function nanoseconds(ms: number): string {
  const us = Math.round(ms * 1000);
  return Number.isSafeInteger(us) && us !== 0 ? `${us}000` : '0';
}

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
      return this.#line(record);
    } catch {
      // A value of the application may throw when it is read.
      return this.#line(unreadable());
    }
  }

  #line(record: FormattableRecord): string {
    const { level, time } = record;
    const logger = scalarText(record.logger);
    const head = `"Timestamp":${nanoseconds(time)},"Type":${quote(logger)},${this.#origin},"Severity":${severities.get(level) ?? 7},${this.#pid}`;
    return `{${head},"Fields":{${fieldsJson(record, logger)}}}`;
  }
}

export const unreadable = (): FormattableRecord => ({
  logger: 'app.log',
  level: 40,
  time: Date.now(),
  fields: {},
  msg: 'a log record that cannot be shown',
});

export function fieldsJson(
  { fields, msg, error }: Pick<FormattableRecord, 'fields' | 'msg' | 'error'>,
  logger: string,
): string {
  if (msg === undefined && error === undefined) return summaryJson(fields) ?? anyJson(fields, '');
  const json = anyJson(fields, msg === undefined ? '' : messageText(msg), error !== undefined);
  if (error === undefined) return json;
  const thrown = `"error":${quote(describe(error))},"traceback":${quote(formatTraceback(error, logger))}`;
  return json === '' ? thrown : `${json},${thrown}`;
}

function anyJson(fields: Readonly<Record<string, unknown>>, message: string, thrown = false): string {
  let json = '';
  for (const key of Object.keys(fields)) {
    // The record's own message is added below.
    if (key === 'msg' && message !== '') continue;
    if (thrown && (key === 'error' || key === 'traceback')) continue;
    const value = scalarJson(fields[key]);
    if (value !== undefined) json += `,${quote(key)}:${value}`;
  }
  if (message !== '') json += `,"msg":${quote(message)}`;
  return json.slice(1);
}

/** The message as text; empty for one that is a JSON object, which is there as fields already. */
function messageText(msg: unknown): string {
  const text = scalarText(msg);
  return text.startsWith('{') && text.endsWith('}') ? '' : text;
}

/** The nine fields of a summary in one piece: half of the time of `JSON.stringify`. Undefined if there are others, or a character is escaped. */
function summaryJson(fields: Readonly<Record<string, unknown>>): string | undefined {
  const { errno, agent, lang, method, path, code, uid, rid, t } = fields;
  if (![errno, code, t].every(Number.isFinite) || Object.keys(fields).length !== 9) return undefined;
  if (![agent, lang, method, path, uid, rid].every(isPlainText)) return undefined;
  return (
    `"errno":${String(errno)},"agent":"${String(agent)}","lang":"${String(lang)}","method":"${String(method)}",` +
    `"path":"${String(path)}","code":${String(code)},"uid":"${String(uid)}","rid":"${String(rid)}","t":${String(t)}`
  );
}

const isPlainText = (value: unknown) => typeof value === 'string' && !special.test(value);

/** Characters that JSON does not carry unchanged, or not as ASCII. */
const special = /[^\x20\x21\x23-\x5b\x5d-\x7e]/;
/** Control characters and separators that JSON allows and some readers take for the end of a line. */
const separators = /[\u007f-\u009f\u2028\u2029]/g;

/** A string as JSON, on one line whichever characters the reader splits at. */
export function quote(text: string): string {
  if (!special.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(
    separators,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Any value as the JSON of a scalar; undefined if there is nothing to show. */
function scalarJson(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : `"${value}"`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'undefined':
      return undefined;
    default:
      return value === null ? 'null' : quote(scalarText(value));
  }
}

/** Longer texts and stacks are cut. */
const maxLength = 8192;

/** Any value as text: a string as it is, an object as its JSON. Never throws. */
export function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  const text = attempt(() => {
    const data = toJsonData(value, [], { left: 1000 });
    return typeof data === 'string' ? data : JSON.stringify(data);
  });
  if (text === undefined) return '[cannot be shown]';
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** A copy that JSON.stringify can carry: no cycle, no deep or endless structure, nothing it refuses. */
function toJsonData(value: unknown, within: readonly unknown[], budget: { left: number }): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value === 'undefined') return within.length === 0 ? 'undefined' : undefined;
  if (typeof value === 'function') return `[function ${value.name || 'anonymous'}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (within.includes(value)) return '[circular]';
  budget.left -= 1;
  if (within.length === 8 || budget.left < 0) return '[…]';
  if (isError(value)) return describe(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;

  const inner = (item: unknown): unknown => toJsonData(item, [...within, value], budget);
  const { toJSON }: { toJSON?: unknown } = value;
  if (typeof toJSON === 'function') return inner(toJSON.call(value, ''));
  if (Array.isArray(value) || value instanceof Set) return [...value].slice(0, 1000).map(inner);
  const pairs: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(pairs.slice(0, 1000).map(([key, item]) => [scalarText(key), inner(item)]));
}

const deepest = 5;

/** An error with its stack and its causes, without secrets. Never throws. */
export function formatTraceback(error: unknown, logger: string): string {
  const parts: string[] = [];
  let cause = error;
  for (let depth = 0; cause !== undefined && depth < deepest; depth += 1) {
    parts.push(errorStack(cause));
    cause = attempt(() => (isError(cause) ? cause.cause : undefined));
  }
  const stack = parts.join('\nCaused by: ');
  // Only our own loggers know that an error was thrown and not caught: one that the application hands to its logger was caught by it.
  return ownLoggers.test(logger) ? `Uncaught exception:\n${stack}` : stack;
}

const ownLoggers = /^(?:health|health\.checks|request\.summary)$/;

function errorStack(error: unknown): string {
  const text = attempt(() => {
    const stack: unknown = isError(error) ? error.stack : undefined;
    return typeof stack === 'string' && stack !== '' ? clean(stack, maxLength) : describe(error);
  });
  return text ?? 'something that cannot be shown';
}
