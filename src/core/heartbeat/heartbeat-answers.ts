import { type Answer, answerFailed, answerPassed, withAge } from '../endpoints.js';
import type { Heartbeat } from './heartbeat.js';
import type { ResolvedOptions } from '../options/options.js';
import { currentRequest } from '../request/request.js';
import { reportBody, statusBody } from './report.js';
import type { CheckResult } from './result.js';

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
