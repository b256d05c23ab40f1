import * as messageIds from './message-ids.js';
import { Deadline, unwatch, watch } from '../time.js';
import {
  type CheckResult,
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
import type { CheckContext, JoinableRun, RegisteredCheck } from './check.js';
import { describePublicly } from '../scrub/scrub.js';

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
export interface Entry {
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
class Run extends Deadline implements JoinableRun {
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
    super(own < due ? own : due);
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
