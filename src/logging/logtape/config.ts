import { requestId } from '../../core/request/request.js';
import { AsyncStorage } from '../../core/runtime.js';
import type { EnvelopeOptions } from '../line/envelope.js';
import { type FormattableRecord, JsonLogFormatter, lineOf } from '../line/json-log-formatter.js';
import { scalarText } from '../line/scalar.js';

/** A log record of LogTape. */
export interface LogTapeRecord {
  readonly category: readonly string[];
  readonly level: string;
  readonly message: readonly unknown[];
  readonly timestamp: number;
  readonly properties: Readonly<Record<string, unknown>>;
}

const levels: Readonly<Record<string, number>> = { info: 20, warning: 30, error: 40, fatal: 50 };
const debug = 10;

/**
 * A text formatter for LogTape: each record is a line of JSON in the mozlog 2.0 envelope, its category the `Type`.
 *
 * @example getConsoleSink({ formatter: logTapeFormatter({ loggerName: 'acme' }) })
 */
export function logTapeFormatter(options: EnvelopeOptions = {}): (record: LogTapeRecord) => string {
  const formatter = new JsonLogFormatter(options);
  return (record) => `${lineOf(formatter, () => recordOf(record))}\n`;
}

function recordOf({ category, level, message, timestamp, properties }: LogTapeRecord): FormattableRecord {
  const { error, ...fields } = properties;
  const thrown = error instanceof Error;
  return {
    logger: category.join('.'),
    level: levels[level] ?? debug,
    time: timestamp,
    fields: thrown ? fields : properties,
    msg: message.map(scalarText).join(''),
    ...(thrown && { error }),
  };
}

/** The type of LogTape's `contextLocalStorage`. */
export interface LogTapeContext {
  run<R>(store: Record<string, unknown>, callback: () => R): R;
  getStore(): Record<string, unknown> | undefined;
}

/**
 * LogTape's context with the `rid` of the request in it, so that every record within a request has it.
 *
 * @example await configure({ contextLocalStorage: logTapeContext(), sinks: { … }, loggers: [ … ] });
 */
export function logTapeContext(): LogTapeContext {
  const own = AsyncStorage && new AsyncStorage<Record<string, unknown>>();
  return {
    run: (store, callback) => (own === undefined ? callback() : own.run(store, callback)),
    getStore() {
      const store = own?.getStore();
      const rid = requestId();
      return rid === undefined ? store : { rid, ...store };
    },
  };
}
