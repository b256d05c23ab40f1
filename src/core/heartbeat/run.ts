import { timersEndWithRequest } from '../runtime.js';
import * as messageIds from './message-ids.js';
import { type Deadline, unwatch, watch } from '../time.js';
import {
  type CheckResult,
  type Level,
  type Findings,
  findingsOf,
  findingsWith,
  type Judge,
  resultOf,
} from './result.js';
import { isPromise } from '../objects.js';
import { Error as ErrorMessage } from './messages.js';
import type { About, Check, CheckContext, ReadCheckOptions } from './check.js';
import { describePublicly } from '../scrub/scrub.js';

/** A check in the registry, with its options and its runs. */
export interface RegisteredCheck
  extends About, Pick<ReadCheckOptions, 'failureThreshold' | 'successThreshold' | 'restartAfter'> {
  readonly name: string;
  /** The name as written in JSON, made once. */
  readonly key: string;
  readonly run: Check;
  readonly timeout: number | undefined;
  readonly maxLevel: Level;
  /** Milliseconds between its runs, if a schedule runs it. */
  readonly every?: number | undefined;
  readonly runs: CheckRuns;
}

export interface RunSettings extends Judge {
  readonly timeout: number;
  readonly coalesce: boolean;
  readonly silenced: ReadonlySet<string>;
  /** Whether code of a check or a listener runs right now: a heartbeat that it requests would wait for itself. */
  readonly entry: { inside: boolean };
}

type Settle = (result: CheckResult) => void;

/**
 * Calls `settle` once with a result of the check: the last one if it may be served again and is not to be made `anew`, else the result of a run.
 * Synchronously if the check is synchronous. Everything that a check may do (throw, hang, return junk) becomes a result; nothing is thrown from here.
 */
export function runCheck(check: RegisteredCheck, settings: RunSettings, settle: Settle, anew: boolean): void {
  const { runs } = check;
  const now = performance.now();
  const last = anew ? undefined : runs.last(now);
  if (last !== undefined) return settle(last);
  const hung = runs.hung(now);
  if (hung !== undefined) return settle(runs.keep(resultNotRun(check, settings, stillRunning(hung)), now));
  const { shared } = runs;
  if (shared !== undefined) return shared.join(settle);
  const run = new Run(check, settings, now, settle);
  runs.start(run);
  try {
    const outcome = guarded(settings, () => check.run(new Context(run)));
    if (isPromise(outcome)) run.wait(outcome);
    else run.accept(outcome);
  } catch (thrown) {
    run.fail(thrown);
  }
}

/** Calls code of the user, which is refused a heartbeat meanwhile. */
export function guarded<T>({ entry }: RunSettings, call: () => T): T {
  const outside = entry.inside;
  entry.inside = true;
  try {
    return call();
  } finally {
    entry.inside = outside;
  }
}

/** The argument of a check. A class: most checks never read the signal, and an object with a getter takes as long as the rest of a heartbeat. */
class Context implements CheckContext {
  readonly name: string;
  readonly #run: Run;

  constructor(run: Run) {
    this.name = run.check.name;
    this.#run = run;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }
}

class Run implements Deadline {
  readonly check: RegisteredCheck;
  readonly started: number;
  readonly due: number;
  /** Set when it has timed out. */
  hung: Hung | undefined;
  readonly #settings: RunSettings;
  readonly #timeout: number;
  /** The heartbeats that wait for it. */
  readonly #waiting: Settle[];
  #controller: AbortController | undefined;

  constructor(check: RegisteredCheck, settings: RunSettings, started: number, settle: Settle) {
    this.check = check;
    this.started = started;
    this.#settings = settings;
    this.#timeout = check.timeout ?? settings.timeout;
    this.due = started + this.#timeout;
    this.#waiting = [settle];
  }

  get signal(): AbortSignal {
    return (this.#controller ??= abortController(this.due)).signal;
  }

  join(settle: Settle): void {
    this.#waiting.push(settle);
  }

  wait(outcome: PromiseLike<unknown>): void {
    watch(this);
    const late = (hung: Hung) => this.check.runs.endLate(hung);
    void Promise.resolve(outcome).then(
      (value) => (this.hung === undefined ? this.accept(value) : late(this.hung)),
      (thrown: unknown) => (this.hung === undefined ? this.fail(thrown) : late(this.hung)),
    );
  }

  accept(outcome: unknown): void {
    let findings: Findings;
    try {
      findings = findingsOf(this.check.name, outcome, this.#settings.silenced);
    } catch (thrown) {
      return this.fail(thrown);
    }
    this.#finish(() => findings);
  }

  fail(thrown: unknown): void {
    const text = () => `Check ${this.check.name} threw ${describePublicly(thrown)}`;
    this.#finish(() => this.#error(messageIds.threw, text()), thrown);
  }

  expire(): void {
    const text = `Check ${this.check.name} did not answer within ${this.#timeout} ms`;
    this.hung = this.check.runs.hang(this, text, this.#timeout);
    this.#finish(() => this.#error(messageIds.timedOut, text));
    this.#controller?.abort(new DOMException(text, 'TimeoutError'));
  }

  #error(id: string, text: string): Findings {
    return findingsWith(new ErrorMessage(text, { id }), this.#settings.silenced);
  }

  #finish(read: () => Findings, error?: unknown): void {
    const { check, started } = this;
    unwatch(this);
    check.runs.end(this);
    const duration = performance.now() - started;
    let result: CheckResult;
    try {
      result = resultOf(check, this.#settings, duration, read(), error);
    } catch (thrown) {
      // An error of our own: every heartbeat that waits still gets a result, and the log the cause.
      const text = `Check ${check.name} has no result because of an error inside lifesign`;
      const lost = new ErrorMessage(text, { id: messageIds.noResult });
      result = { ...resultNotRun(check, this.#settings, lost), error: thrown };
    }
    check.runs.keep(result, started);
    for (const settle of this.#waiting) settle(result);
  }
}

/** It begins as `health.E012` did: a log or a report may have only this one. */
function stillRunning({ cause, since }: Hung): ErrorMessage {
  const text = `${cause} and has been running since ${new Date(since).toISOString()}, so it was not started again`;
  return new ErrorMessage(text, { id: messageIds.stillRunning });
}

export function resultNotRun(check: RegisteredCheck, settings: RunSettings, why: ErrorMessage): CheckResult {
  return { ...resultOf(check, settings, 0, findingsWith(why, settings.silenced)), notRun: true };
}

const dues = new WeakMap<AbortSignal, number>();

/** When a check's signal fires, on the clock of `performance.now()`; Infinity for a signal that is none of a check. */
export function deadlineOf(signal: AbortSignal): number {
  return dues.get(signal) ?? Infinity;
}

/** A controller for a signal of which checks know when it fires. */
export function abortController(due: number): AbortController {
  const controller = new AbortController();
  dues.set(controller.signal, due);
  return controller;
}

/** Runs of one check that may be under way at once; further heartbeats wait for the latest of them. */
const maxConcurrent = 10;

/**
 * After this many timeouts hung runs are abandoned and one new run may start. Longer while `abandoned` ones are still open: each may hold a
 * connection. By 96 times 5 s even Linux has closed a connection without an answer.
 */
function backoffAfter(abandoned: number): number {
  return Math.min(3 * 2 ** abandoned, 96);
}

/** Runs that hang at the same time, and are abandoned together. */
interface Hung {
  /** When the oldest was started, in milliseconds since 1970. */
  readonly since: number;
  /** The text of the timeout of the oldest. */
  readonly cause: string;
  /** When they are abandoned, on the clock of `performance.now()`. */
  readonly until: number;
  /** How many have not settled. */
  open: number;
}

/** The runs of one check: the last result while it may be served again, the runs under way, and those that hang. */
export class CheckRuns {
  readonly #limit: number;
  readonly #cacheFor: number;
  #last: { readonly result: CheckResult; readonly until: number } | undefined;
  readonly #underway = new Set<Run>();
  #hung: Hung | undefined;
  /** Groups of abandoned runs that have not settled. */
  #abandoned = 0;

  /** `cacheFor`: how long a result may be served again, from the start of its run. */
  constructor(coalesce: boolean, cacheFor: number) {
    this.#limit = coalesce || cacheFor > 0 ? 1 : maxConcurrent;
    this.#cacheFor = cacheFor;
  }

  last(now: number): CheckResult | undefined {
    return this.#last !== undefined && now < this.#last.until ? this.#last.result : undefined;
  }

  keep(result: CheckResult, started: number): CheckResult {
    if (this.#cacheFor > 0) this.#last = { result, until: started + this.#cacheFor };
    return result;
  }

  /** The run to wait for instead of starting another. None on edge workers: a request must not await the promise of another. */
  get shared(): Run | undefined {
    const limit = this.#abandoned > 0 ? 1 : this.#limit;
    return this.#underway.size < limit || timersEndWithRequest ? undefined : [...this.#underway].at(-1);
  }

  /** The runs that hang; undefined if there are none, or if they are abandoned now. */
  hung(now: number): Hung | undefined {
    if (this.#hung !== undefined && now >= this.#hung.until) {
      this.#hung = undefined;
      this.#abandoned += 1;
    }
    return this.#hung;
  }

  start(run: Run): void {
    this.#underway.add(run);
  }

  end(run: Run): void {
    this.#underway.delete(run);
  }

  /** A run has timed out; it may never settle. */
  hang({ started }: Run, cause: string, timeout: number): Hung {
    const now = performance.now();
    this.#hung ??= {
      since: Date.now() - (now - started),
      cause,
      until: now + timeout * backoffAfter(this.#abandoned),
      open: 0,
    };
    this.#hung.open += 1;
    return this.#hung;
  }

  /** A run that had timed out has settled after all. */
  endLate(hung: Hung): void {
    hung.open -= 1;
    if (hung.open > 0) return;
    if (hung === this.#hung) this.#hung = undefined;
    else this.#abandoned -= 1;
  }
}
