import { timersEndWithRequest } from '../runtime.js';
import type { ResultCache } from './cache.js';
import * as messageIds from './message-ids.js';
import { type Deadline, unwatch, watch } from '../time.js';
import {
  type CheckResult,
  type Level,
  type Findings,
  findingsOf,
  findingsWith,
  type Judge,
  mergeFindings,
  resultOf,
  type Settle,
} from './result.js';
import { isPromise } from '../objects.js';
import { Error as ErrorMessage } from './messages.js';
import type { About, Check, CheckContext, ReadCheckOptions } from './check.js';
import { describePublicly } from '../scrub/scrub.js';

/** A check in the registry, with the state of its runs and its options for the probes. */
export interface RegisteredCheck
  extends About, Pick<ReadCheckOptions, 'failureThreshold' | 'successThreshold' | 'restartAfter'> {
  readonly name: string;
  /** The name as written in JSON, made once. */
  readonly key: string;
  readonly run: Check;
  readonly timeout: number | undefined;
  /** The worst it may be. */
  readonly maxLevel: Level;
  /** Milliseconds between its runs, if a schedule runs it. */
  readonly every?: number | undefined;
  /** The last result, if it may be served again. */
  readonly cache: ResultCache | undefined;
  /** Its runs that have not settled. */
  readonly runs: OpenRuns;
}

/** The environment of a run. */
export interface RunSettings extends Judge {
  readonly timeout: number;
  /** Milliseconds all checks together may take; Infinity if there is no such limit. */
  readonly heartbeatTimeout: number;
  readonly silenced: ReadonlySet<string>;
  readonly entry: Entry;
  /** Whether the last result of a check does not do. */
  readonly anew?: boolean;
}

/** Whether code of a check or a listener runs right now: a heartbeat that it asks for would never end. */
interface Entry {
  inside: boolean;
  /** Whether that code has asked for one. */
  asked: boolean;
}

/**
 * Runs one check and calls `settle` exactly once, synchronously if the check is synchronous.
 * Whatever the check does (throw, hang, return junk) becomes a result; nothing is thrown from here.
 */
export function runCheck(
  check: RegisteredCheck,
  settings: RunSettings,
  /** When the heartbeat's time is up, on the clock of `performance.now()`. */
  due: number,
  settle: Settle,
): void {
  const now = performance.now();
  // Checks that block have used up the heartbeat's time.
  if (due <= now) return settle(resultNotRun(check, settings, notStarted(check, settings)));
  const since = check.runs.hungSince(now);
  if (since !== undefined) return settle(resultNotRun(check, settings, stillRunning(check, since)));
  const shared = check.runs.shared;
  if (shared !== undefined) return shared.join(settle);
  const run = new Run(check, settings, now, due, settle);
  check.runs.start(run);
  const { entry } = settings;
  const outside = entry.inside;
  entry.inside = true;
  try {
    const outcome = check.run(new Context(run));
    if (entry.asked) run.noteReentry();
    if (isPromise(outcome)) run.wait(outcome);
    else run.accept(outcome);
  } catch (thrown) {
    run.fail(thrown);
  } finally {
    entry.inside = outside;
    entry.asked = false;
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

/** One run under way. */
class Run implements Deadline {
  readonly due: number;
  readonly check: RegisteredCheck;
  readonly #settings: RunSettings;
  readonly #started: number;
  /** Whether the check's own time ends before that of the heartbeat. */
  readonly #ownTime: boolean;
  readonly #settle: Settle;
  /** Those of further heartbeats. */
  #joined: Settle[] | undefined;
  #controller: AbortController | undefined;
  #settled = false;
  #hangs = false;
  #reentered = false;

  constructor(check: RegisteredCheck, settings: RunSettings, started: number, due: number, settle: Settle) {
    const own = started + (check.timeout ?? settings.timeout);
    this.due = own < due ? own : due;
    this.check = check;
    this.#settings = settings;
    this.#started = started;
    this.#ownTime = own <= due;
    this.#settle = settle;
  }

  get signal(): AbortSignal {
    return (this.#controller ??= abortController(this.due)).signal;
  }

  /** Has another heartbeat wait for this run. */
  join(settle: Settle): void {
    (this.#joined ??= []).push(settle);
  }

  noteReentry(): void {
    this.#reentered = true;
  }

  wait(outcome: PromiseLike<unknown>): void {
    watch(this);
    void Promise.resolve(outcome).then(
      (value) => {
        if (this.#hangs) this.check.runs.endLate(this);
        else this.accept(value);
      },
      (thrown: unknown) => {
        if (this.#hangs) this.check.runs.endLate(this);
        else this.fail(thrown);
      },
    );
  }

  accept(outcome: unknown): void {
    let findings: Findings;
    try {
      findings = findingsOf(this.check.name, outcome, this.#settings.silenced);
    } catch (thrown) {
      return this.fail(thrown);
    }
    this.#finish(findings);
  }

  fail(thrown: unknown): void {
    const text = () => `Check ${this.check.name} threw ${describePublicly(thrown)}`;
    this.#finish(() => this.#only(messageIds.threw, text()), thrown);
  }

  expire(): void {
    const { check } = this;
    const { timeout, heartbeatTimeout } = this.#settings;
    const own = check.timeout ?? timeout;
    const now = performance.now();
    this.#hangs = true;
    const limit = this.#ownTime ? `${own} ms` : `the heartbeat timeout of ${heartbeatTimeout} ms`;
    const text = `Check ${check.name} did not answer within ${limit}`;
    check.runs.hang(this, Date.now() - (now - this.#started), now, own, text);
    this.#finish(() => this.#only(messageIds.timedOut, text));
    this.#controller?.abort(new DOMException(text, 'TimeoutError'));
  }

  #only(id: string, text: string): Findings {
    return findingsWith(new ErrorMessage(text, { id }), this.#settings.silenced);
  }

  #finish(findings: Findings | (() => Findings), error?: unknown): void {
    // An error of our own, thrown once the result was there.
    if (this.#settled) return;
    this.#settled = true;
    unwatch(this);
    if (!this.#hangs) this.check.runs.end(this);
    const result = this.#result(findings, error);
    this.#settle(result);
    if (this.#joined !== undefined) for (const settle of this.#joined) settle(result);
  }

  #result(findings: Findings | (() => Findings), error: unknown): CheckResult {
    const duration = performance.now() - this.#started;
    try {
      const own = typeof findings === 'function' ? findings() : findings;
      const said = this.#reentered ? mergeFindings(own, this.#only(messageIds.reentered, reentryText)) : own;
      return resultOf(this.check, this.#settings, duration, said, error);
    } catch (thrown) {
      // An error of our own: every caller that waits still gets a result.
      return resultLost(this.check, this.#settings, thrown);
    }
  }
}

export const reentryText =
  'health.heartbeat() was called from a check or listener of the same heartbeat, so it ran no checks';

function notStarted(check: RegisteredCheck, { heartbeatTimeout }: RunSettings): ErrorMessage {
  const text = `Check ${check.name} was not started: other checks used up the heartbeat timeout of ${heartbeatTimeout} ms`;
  return new ErrorMessage(text, { id: messageIds.timedOut });
}

/** It begins as `health.E012` did: a log or a report may have only this one. */
function stillRunning({ runs }: RegisteredCheck, since: number): ErrorMessage {
  const text = `${runs.cause} and has been running since ${new Date(since).toISOString()}, so it was not started again`;
  return new ErrorMessage(text, { id: messageIds.stillRunning });
}

/** The result of a check whose run was lost to an error of our own: in the report as an error, in the log with its cause. */
export function resultLost(check: RegisteredCheck, settings: RunSettings, error?: unknown): CheckResult {
  const text = `Check ${check.name} has no result because of an error inside lifesign`;
  return { ...resultNotRun(check, settings, new ErrorMessage(text, { id: messageIds.noResult })), error };
}

/** The result of a check that was not run. */
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

/**
 * Runs of one check that may be under way at once; further callers wait for the latest of them.
 * Nothing is shared on runtimes that do not let a request await the promise of another.
 */
function maxConcurrent(coalesce: boolean): number {
  if (timersEndWithRequest) return Infinity;
  return coalesce ? 1 : 10;
}

/**
 * After this many timeouts a hung run is given up and one new run may start. Longer while `lost` runs that were given up before
 * are still open: each may hold a connection. By 96 times 5 s even Linux has given up a connection without an answer.
 */
export function backoffAfter(lost: number): number {
  return Math.min(3 * 2 ** lost, 96);
}

/** Runs that hang at the same time, and are given up together. */
interface Hung {
  /** When the oldest was started, in milliseconds since 1970. */
  readonly since: number;
  /** The text of the timeout of the oldest. */
  readonly cause: string;
  /** When they are given up, on the clock of `performance.now()`. */
  readonly until: number;
  /** How many have not settled. */
  open: number;
}

/** The runs of one check that have not settled: which to wait for, and whether another may be started. */
export class OpenRuns {
  readonly #limit: number;
  /** How many are under way, and the latest of them. */
  #underway = 0;
  #latest: Run | undefined;
  readonly #hungIn = new WeakMap<Run, Hung>();
  #hung: Hung | undefined;
  /** Groups of hung runs that were given up and have not settled. */
  #lost = 0;
  /** Whether the run under way is the one that is tried after others hung. */
  #retrying = false;

  constructor(coalesce = false) {
    this.#limit = maxConcurrent(coalesce);
  }

  /** The run to wait for instead of starting another; undefined if another may be started. */
  get shared(): Run | undefined {
    return this.#underway >= (this.#retrying ? 1 : this.#limit) ? this.#latest : undefined;
  }

  /** Since when runs hang, in milliseconds since 1970; undefined if none does, or if they have been given up. */
  hungSince(now: number): number | undefined {
    const hung = this.#hung;
    if (hung === undefined) return undefined;
    if (now < hung.until) return hung.since;
    this.#hung = undefined;
    this.#lost += 1;
    this.#retrying = true;
    return undefined;
  }

  /** Why the runs that hang were given up. */
  get cause(): string | undefined {
    return this.#hung?.cause;
  }

  start(run: Run): void {
    this.#underway += 1;
    this.#latest = run;
  }

  /** A run has settled in time. */
  end(run: Run): void {
    this.#remove(run);
  }

  /** A run has timed out and has not settled; it may never do so. */
  hang(run: Run, since: number, now: number, timeout: number, cause: string): void {
    this.#remove(run);
    this.#hung ??= { since, cause, until: now + timeout * backoffAfter(this.#lost), open: 0 };
    this.#hung.open += 1;
    this.#hungIn.set(run, this.#hung);
  }

  /** A run that had timed out has settled after all. */
  endLate(run: Run): void {
    const hung = this.#hungIn.get(run);
    if (hung === undefined) return;
    hung.open -= 1;
    if (hung.open > 0) return;
    if (hung === this.#hung) this.#hung = undefined;
    else this.#lost -= 1;
  }

  #remove(run: Run): void {
    this.#underway -= 1;
    if (this.#latest === run) this.#latest = undefined;
    this.#retrying = false;
  }
}
