import type { LogRecord, Scalar } from '../core/log.js';
import type { MessageLevel } from '../core/messages.js';
import { describe, scrub } from '../core/scrub.js';
import { host } from '../core/runtime.js';

/** Options of the formatter. */
export interface JsonLogFormatterOptions {
  /** The `Logger` field of every line: which service wrote it. Default `lifesign`. */
  readonly loggerName?: string;
}

/** Syslog severities. */
const severities: Readonly<Record<MessageLevel, number>> = { 10: 7, 20: 6, 30: 4, 40: 3, 50: 2 };

/**
 * Turns a log record into one line of JSON in the mozlog 2.0 envelope.
 *
 * @example new JsonLogFormatter({ loggerName: 'acme' }).format(record);
 */
export class JsonLogFormatter {
  /** What all lines of a process share. */
  readonly #middle: string;
  readonly #end: string;

  constructor({ loggerName = 'lifesign' }: JsonLogFormatterOptions = {}) {
    const hostname = host.getBuiltinModule?.('node:os').hostname() ?? '';
    this.#middle = `,"Logger":${JSON.stringify(loggerName)},"Hostname":${JSON.stringify(hostname)},"EnvVersion":"2.0","Severity":`;
    this.#end = `,"Pid":${host.pid ?? 0},"Fields":`;
  }

  /** One line without its line feed. */
  format(record: LogRecord): string {
    const type = JSON.stringify(record.logger);
    const severity = severities[record.level];
    const fields = JSON.stringify(fieldsOf(record));
    // Nanoseconds do not fit a JavaScript number: the digits are appended.
    return `{"Timestamp":${Math.trunc(record.time)}000000,"Type":${type}${this.#middle}${severity}${this.#end}${fields}}`;
  }
}

function fieldsOf({ fields, msg, error }: LogRecord): Readonly<Record<string, Scalar>> {
  if (msg === undefined && error === undefined) return fields;
  return {
    ...fields,
    ...(msg !== undefined && { msg }),
    ...(error !== undefined && { error: describe(error), traceback: tracebackOf(error) }),
  };
}

function tracebackOf(error: unknown): string {
  const stack = error instanceof Error ? error.stack : undefined;
  return scrub(`Uncaught exception:\n${stack ?? describe(error)}`);
}
