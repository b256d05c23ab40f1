import { catchRejection } from './objects.js';
import { type Fields, levels, type MessageLevel, type Scalar } from './heartbeat/messages.js';
import { activeTrace, currentRequest } from './request/request.js';
import { host, shared, timersEndWithRequest } from './runtime.js';
import { clean, scrub } from './scrub/scrub.js';

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

/** Whether a logger accepts summaries later. @internal */
export const isDeferrable = (logger: Logger) => logger.deferrable === true;

// Kept: a test that holds the time still must not hold back the log.
const { setImmediate } = globalThis;

let deferred: (() => void)[] = [];
let isScheduled = false;
/** Whether work can wait: until the process ends, and never on workers. */
let mayDefer = !timersEndWithRequest && typeof setImmediate === 'function';
let knowsExit = false;

/**
 * Does the work at the end of this turn of the event loop, together with all other such work: that takes half as long
 * as doing each piece between requests, and no request waits for it. At the `exit` event at the latest.
 */
export function defer(work: () => void): void {
  if (!mayDefer) return work();
  deferred.push(work);
  if (isScheduled) return;
  isScheduled = true;
  if (!knowsExit) {
    knowsExit = true;
    // First: another listener may call `process.exit`, which skips those after it.
    host.prependOnceListener?.('exit', () => {
      mayDefer = false;
      flushDeferred();
    });
  }
  setImmediate(flushDeferred);
}

/** Does the waiting work now, and the work that it creates: a summary has its line written in the same pass. */
export function flushDeferred(): void {
  isScheduled = true;
  try {
    while (deferred.length > 0) {
      const now = deferred;
      deferred = [];
      for (const work of now) work();
    }
  } finally {
    isScheduled = false;
  }
}

export const silent: Logger = { deferrable: true, log() {} };

/** Fields of the application's own in one record, and characters of a name and a value. */
const maxFields = 20;
const maxNameLength = 64;
const maxValueLength = 1000;

/** The scalars of an object of the application's, without credentials. Throws if reading throws. */
export function scalarsOf(given: object): Fields {
  const fields: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(given).slice(0, maxFields)) {
    const scalar = scalarOf(name, value);
    if (scalar !== undefined) fields[clean(name, maxNameLength)] = scalar;
  }
  return fields;
}

function scalarOf(name: string, value: unknown): Scalar | undefined {
  if (typeof value === 'string') {
    // A value may be a secret only by its name.
    const pair = scrub(`${name}=${JSON.stringify(value.slice(0, maxValueLength))}`);
    return pair === `${name}=***` ? '***' : clean(value, maxValueLength);
  }
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'boolean' || value === null ? value : undefined;
}

/** The log of one Health. A logger that throws breaks nothing. */
export class HealthLog {
  readonly #logger: Logger;

  constructor(options: { readonly logger: Logger }) {
    this.#logger = options.logger;
  }

  /** Logs a record, with the trace that it belongs to: the active span, or the span of the request if the context was lost. */
  readonly record = (record: LogRecord): void => {
    const ids = activeTrace() ?? currentRequest()?.trace;
    this.summary(ids === undefined ? record : { ...record, fields: { ...record.fields, ...ids } });
  };

  /** Logs a summary, which has its trace already. */
  summary(record: LogRecord): void {
    try {
      catchRejection(this.#logger.log(record), () => {});
    } catch {
      // A logger that throws or rejects loses its records, and must not take a heartbeat down.
    }
  }

  say(level: MessageLevel, msg: string, error?: unknown): void {
    this.record({ logger: 'health', level, time: Date.now(), fields: {}, msg, error });
  }

  readonly error = (msg: string, error?: unknown): void => this.say(levels.error, msg, error);
}
