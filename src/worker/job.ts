import type { Engine } from '../core/engine.js';
import { levels } from '../core/heartbeat/messages.js';
import type { LogRecord, Scalar } from '../core/log.js';
import { RequestContext } from '../core/request/request.js';
import { messageOf } from '../core/request/summary.js';
import { handlerThrew } from '../core/endpoints.js';
import type { Job } from './types.js';

/** Longer than any id or name of a job; a payload that was taken for one must not flood the log. */
const maxLength = 200;

/** A job under way, and its `job.summary` when it ends. */
export class RunningJob implements Job {
  readonly name: string;
  readonly id: string;
  readonly attempt: number;
  readonly context: RequestContext;
  /** Whether its summary is written: one a job, whatever comes later. */
  #told = false;
  #failed = false;
  #abort: AbortController | undefined;

  constructor(
    name: string,
    id: unknown,
    attempt: number,
    requestId: string | undefined,
    propagated: boolean,
  ) {
    this.name = name.slice(0, maxLength);
    this.id = idText(id);
    this.attempt = attempt;
    this.context = new RequestContext({ givenId: requestId ?? this.id }, propagated);
    this.context.noteTrace();
  }

  // Created when it is first read.
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  fail(thrown: unknown): void {
    this.#failed = true;
    this.context.error = thrown;
  }

  /** Asks it to end now; returns whether it listens. */
  abort(reason: Error): boolean {
    this.#abort?.abort(reason);
    return this.#abort !== undefined;
  }

  /** Writes its summary, once. `cut`: the process ends before it does. */
  logSummary<Request, FrameworkRequest>(engine: Engine<Request, FrameworkRequest>, cut = false): void {
    if (this.#told) return;
    this.#told = true;
    this.context.end();
    const { summary } = engine.options;
    if (summary) engine.log(this.#record(summary.traceback, cut));
  }

  #record(withTraceback: boolean, cut: boolean): LogRecord {
    const { id: rid, started, ended, endedAt: time, error, trace } = this.context;
    const failed = this.#failed || cut;
    const fields: Record<string, Scalar> = {
      errno: failed ? handlerThrew : 0,
      name: this.name,
      id: this.id,
      attempt: this.attempt,
      rid,
      t: Math.round(ended - started),
      ...(cut && { cut }),
      ...trace,
    };
    const record = { logger: 'job.summary', time, fields };
    if (!failed) return { ...record, level: levels.info };
    const msg = this.#failed ? messageOf(error) : 'The process ended before the job finished';
    const said = { ...record, level: levels.error, msg };
    return withTraceback && this.#failed ? { ...said, error } : said;
  }
}

function idText(id: unknown): string {
  return typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint'
    ? String(id).slice(0, maxLength)
    : '';
}
