import { levels, type MessageLevel } from './heartbeat/messages.js';
import { type Logger, type LogRecord, safely } from './log.js';
import { currentRequest } from './request/request.js';
import { activeTrace, type TraceIds } from './request/trace.js';
import { keepData } from './scrub/scrub.js';

/** The log of one Health. A logger that throws breaks nothing. */
export class HealthLog {
  readonly #logger: Logger;
  readonly #traceIds: boolean;
  readonly #data: boolean;

  constructor(options: { readonly logger: Logger; readonly traceIds: boolean; readonly logData: boolean }) {
    this.#logger = safely(options.logger);
    this.#traceIds = options.traceIds;
    this.#data = options.logData;
  }

  /** Logs a record, with the trace that it belongs to. */
  readonly record = (record: LogRecord): void => {
    if (this.#data) keepData(record.error);
    this.#logger.log(this.#traceIds ? withTrace(record, currentRequest()?.trace) : record);
  };

  /** Logs a summary, which has its trace already. */
  summary(record: LogRecord): void {
    if (this.#data) keepData(record.error);
    this.#logger.log(record);
  }

  /** Logs a message of lifesign itself. */
  say(level: MessageLevel, msg: string, error?: unknown): void {
    this.record({ logger: 'health', level, time: Date.now(), fields: {}, msg, error });
  }

  /** Logs an error that is not the application's. */
  readonly error = (msg: string, error: unknown): void => this.say(levels.error, msg, error);
}

/** A record with the ids of the active span, or of the request's span if the context was lost. */
function withTrace(record: LogRecord, ofRequest: TraceIds | undefined): LogRecord {
  const ids = activeTrace() ?? ofRequest;
  return ids === undefined ? record : { ...record, fields: { ...record.fields, ...ids } };
}
