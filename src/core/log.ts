import type { Fields } from './fields.js';
import { catchRejection } from './guard.js';
import type { MessageLevel } from './heartbeat/messages.js';
import { shared } from './shared.js';

export type { Scalar } from './fields.js';

/** One record for a logger. Formatters turn it into a line. */
export interface LogRecord {
  /** `request.summary`, `job.summary`, `health.checks` or `health`. */
  readonly logger: string;
  readonly level: MessageLevel;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly fields: Fields;
  readonly msg?: string;
  /** The error, only for the log. */
  readonly error?: unknown;
}

/**
 * Where log records go.
 *
 * @example new Health(app, { logger: { log: (record) => myLogger.info(record.fields) } })
 */
export interface Logger {
  log(record: LogRecord): void;
  /** Whether summaries may arrive one event-loop turn later, outside the context of their request, which is cheaper. Default false. */
  readonly deferrable?: boolean;
}

/** Lines of this process that were dropped, for the metrics. */
export const logLines: { dropped: number } = /* @__PURE__ */ shared('log lines', () => ({ dropped: 0 }));

/** Whether a logger takes summaries later. @internal */
export const isDeferrable = (logger: Logger) => logger.deferrable === true;

/** A logger that keeps nothing. */
export const silent: Logger = { deferrable: true, log() {} };

/** A logger that throws or rejects must not take a heartbeat down: its records are lost, the answer is not. */
export function safely(logger: Logger): Logger {
  return {
    log(record) {
      try {
        const returned: unknown = logger.log(record);
        catchRejection(returned, ignore);
      } catch {
        // Nowhere left to say it.
      }
    },
  };
}

const ignore = () => {};
