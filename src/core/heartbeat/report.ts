import { type Answer, answerFailed, answerPassed, withAge } from '../endpoints.js';
import type { Heartbeat } from './heartbeat.js';
import type { Level, Status } from './messages.js';
import type { ResolvedOptions } from '../options/options.js';
import { currentRequest } from '../request/request.js';
import { catchRejection } from '../objects.js';
import type { CheckResult } from './result.js';

/** The body of `/__heartbeat__`. */
export interface Report {
  readonly status: Status;
  readonly checks: Readonly<Record<string, Status>>;
  readonly details: Readonly<Record<string, ReportDetail>>;
}

/** The report's details of a check above level 0. */
export interface ReportDetail {
  readonly status: Status;
  readonly level: Level;
  readonly messages: Readonly<Record<string, string>>;
}

/**
 * The report as JSON. Written by hand because an object would not do: it sorts names like "10" to the front
 * and treats "__proto__" as no name at all, and the order here is the order of registration.
 */
export function reportBody(heartbeat: Heartbeat, withTexts = true): string {
  let checks = '';
  let details = '';
  for (const result of heartbeat.results) {
    const { key, status, level } = result;
    checks += `${checks === '' ? '' : ','}${key}:"${status}"`;
    if (level > 0) details += `${details === '' ? '' : ','}${key}:${detail(result, withTexts)}`;
  }
  return `{"status":"${heartbeat.status}","checks":{${checks}},"details":{${details}}}`;
}

/** The report as listeners of signals get it. Frozen, as several of them hold it. */
export const reportOf = (heartbeat: Heartbeat): Report =>
  JSON.parse(reportBody(heartbeat), (_key, value: unknown) => Object.freeze(value));

/** The report for callers that may not see more: only the status. */
function statusBody(heartbeat: Heartbeat): string {
  return `{"status":"${heartbeat.status}"}`;
}

/** The placeholder for a text that only the log may have. */
const withheld = '"see the log"';

function detail({ status, level, messages }: CheckResult, withTexts: boolean): string {
  const keys = new Set<string>();
  const counts = new Map<string, number>();
  const entries = messages.map(({ id, text }) => {
    // Two messages with one id: neither may vanish.
    let key = id;
    let count = counts.get(id) ?? 1;
    while (keys.has(key)) {
      count += 1;
      key = `${id}#${count}`;
    }
    // The next number to try: from 2 each time, a flood of one id would take minutes.
    counts.set(id, count);
    keys.add(key);
    return `${JSON.stringify(key)}:${withTexts ? JSON.stringify(text) : withheld}`;
  });
  return `{"status":"${status}","level":${level},"messages":{${entries.join(',')}}}`;
}

type LogError = (msg: string, thrown?: unknown) => void;

/** Turns heartbeats into answers. */
export class HeartbeatAnswers {
  readonly #options: Pick<ResolvedOptions, 'failedStatusCode' | 'publicMessages'>;
  // In an outage many requests share a heartbeat: its report is written once.
  #latest: { readonly heartbeat: Heartbeat; readonly details: boolean; readonly answer: Answer } | undefined;

  constructor(options: Pick<ResolvedOptions, 'failedStatusCode' | 'publicMessages'>) {
    this.#options = options;
  }

  /** The answer for a client that may or may not see the details. */
  answer(heartbeat: Heartbeat, details: boolean): Answer {
    const answer = this.#reportOf(heartbeat, details);
    const age = ageOf(heartbeat.results);
    if (age === undefined) return answer;
    const request = currentRequest();
    if (request !== undefined) request.age = age;
    return withAge(answer, age);
  }

  #reportOf(heartbeat: Heartbeat, details: boolean): Answer {
    if (this.#latest?.heartbeat !== heartbeat || this.#latest.details !== details) {
      this.#latest = { heartbeat, details, answer: this.#answerOf(heartbeat, details) };
    }
    return this.#latest.answer;
  }

  #answerOf(heartbeat: Heartbeat, details: boolean): Answer {
    const { failedStatusCode, publicMessages } = this.#options;
    const body = details ? reportBody(heartbeat, publicMessages) : statusBody(heartbeat);
    return heartbeat.failed ? answerFailed(failedStatusCode, body) : answerPassed(body);
  }
}

/** Seconds since the oldest run of a schedule among the results began; undefined if there is none. */
function ageOf(results: readonly CheckResult[]): number | undefined {
  let oldest: number | undefined;
  for (const { mark } of results) {
    if (mark.started !== undefined && !(mark.started >= (oldest ?? Infinity))) oldest = mark.started;
  }
  return oldest === undefined ? undefined : Math.floor((performance.now() - oldest) / 1000);
}

/** Who may see the details, by the option `details`. */
export class DetailsGate<Request> {
  readonly #details: ResolvedOptions<Request>['details'];
  readonly #onError: LogError;
  #promiseReported = false;

  constructor(details: ResolvedOptions<Request>['details'], onError: LogError) {
    this.#details = details;
    this.#onError = onError;
  }

  /** Whether who makes this request may. */
  opensTo(request: Request): boolean {
    if (typeof this.#details === 'boolean') return this.#details;
    try {
      // A promise or another truthy value of an untyped caller must not open the details.
      const shown: unknown = this.#details(request);
      // Logged once: clients must not be able to fill the log.
      if (catchRejection(shown, () => {}) && !this.#promiseReported) {
        this.#promiseReported = true;
        this.#onError('The details option returned a promise instead of true or false; details are hidden');
      }
      return shown === true;
    } catch (thrown) {
      this.#onError('The details option threw; details are hidden', thrown);
      return false;
    }
  }
}
