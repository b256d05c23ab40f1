import { type Deadline, unwatch, watch } from './deadlines.js';
import {
  type CheckMessage,
  Error as ErrorMessage,
  isCheckMessage,
  type Level,
  type Status,
  statusOf,
} from './messages.js';
import type { CheckContext, RegisteredCheck } from './registry.js';
import { describe } from './scrub.js';

/** What one run of one check came to. */
export interface CheckResult {
  readonly name: string;
  readonly level: Level;
  readonly status: Status;
  readonly messages: readonly CheckMessage[];
  /** Milliseconds the run took. */
  readonly duration: number;
  /** What the check threw, for the log alone. */
  readonly error?: unknown;
}

/** What a run needs to know beside its check. */
export interface RunSettings {
  readonly timeout: number;
  readonly silenced: ReadonlySet<string>;
}

/**
 * Runs one check and calls `settle` exactly once, at once where the check is synchronous.
 * Whatever the check does (throw, hang, return junk) becomes a result; nothing is thrown from here.
 */
export function runCheck(
  check: RegisteredCheck,
  settings: RunSettings,
  settle: (result: CheckResult) => void,
): void {
  if (check.hung > 0) {
    settle(resultOf(check, settings, 0, stillRunning(check)));
    return;
  }
  const run = new Run(check, settings, settle);
  try {
    const outcome = check.run(run);
    if (isPromise(outcome)) run.wait(outcome);
    else run.accept(outcome);
  } catch (thrown) {
    run.fail(thrown);
  }
}

/** One run under way. It is the context the check is given; the signal is made only when asked for. */
class Run implements CheckContext, Deadline {
  readonly name: string;
  readonly due: number;
  readonly #check: RegisteredCheck;
  readonly #settings: RunSettings;
  readonly #settle: (result: CheckResult) => void;
  readonly #started = performance.now();
  readonly #timeout: number;
  #controller: AbortController | undefined;
  #settled = false;
  #timedOut = false;

  constructor(check: RegisteredCheck, settings: RunSettings, settle: (result: CheckResult) => void) {
    this.name = check.name;
    this.#check = check;
    this.#settings = settings;
    this.#settle = settle;
    this.#timeout = check.timeout ?? settings.timeout;
    this.due = this.#started + this.#timeout;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  wait(outcome: PromiseLike<unknown>): void {
    watch(this);
    outcome.then(
      (value) => {
        if (!this.#settledLate()) this.accept(value);
      },
      (thrown: unknown) => {
        if (!this.#settledLate()) this.fail(thrown);
      },
    );
  }

  accept(outcome: unknown): void {
    try {
      this.finish(toMessages(this.#check, outcome));
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  finish(messages: readonly CheckMessage[], error?: unknown): void {
    // A thenable may call back twice, or throw after it called back.
    if (this.#settled) return;
    this.#settled = true;
    unwatch(this);
    const duration = performance.now() - this.#started;
    this.#settle(resultOf(this.#check, this.#settings, duration, messages, error));
  }

  fail(thrown: unknown): void {
    const text = `Check ${this.name} threw ${describe(thrown)}`;
    this.finish([new ErrorMessage(text, { id: 'health.E011' })], thrown);
  }

  expire(): void {
    const check = this.#check;
    this.#timedOut = true;
    if (check.hung === 0) check.hungSince = Date.now() - this.#timeout;
    check.hung += 1;
    const text = `Check ${this.name} gave no answer within ${this.#timeout} ms`;
    this.finish([new ErrorMessage(text, { id: 'health.E012' })]);
    this.#controller?.abort(new DOMException(text, 'TimeoutError'));
  }

  /** Whether this run was given up before; then the check may be started again. */
  #settledLate(): boolean {
    if (!this.#timedOut) return false;
    this.#timedOut = false;
    this.#check.hung -= 1;
    return true;
  }
}

function stillRunning(check: RegisteredCheck): readonly CheckMessage[] {
  const since = new Date(check.hungSince).toISOString();
  const text = `Check ${check.name} has been running since ${since} and was not started again`;
  return [new ErrorMessage(text, { id: 'health.E013' })];
}

function resultOf(
  check: RegisteredCheck,
  settings: RunSettings,
  duration: number,
  all: readonly CheckMessage[],
  error?: unknown,
): CheckResult {
  const { silenced } = settings;
  const messages = silenced.size === 0 ? all : all.filter((message) => !silenced.has(message.id));
  let level: Level = 0;
  for (const message of messages) if (message.level > level) level = message.level;
  return { name: check.name, level, status: statusOf(level), messages, duration, error };
}

const none: readonly CheckMessage[] = [];

function toMessages(check: RegisteredCheck, outcome: unknown): readonly CheckMessage[] {
  if (outcome === undefined || outcome === null) return none;
  if (Array.isArray(outcome)) {
    if (outcome.every(isCheckMessage)) return outcome;
    return junk(check, `a list with ${typeName(outcome.find((item) => !isCheckMessage(item)))} in it`);
  }
  return isCheckMessage(outcome) ? [outcome] : junk(check, typeName(outcome));
}

function junk(check: RegisteredCheck, what: string): readonly CheckMessage[] {
  const text = `Check ${check.name} returned ${what} instead of a list of check messages`;
  return [new ErrorMessage(text, { id: 'health.E014' })];
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  return Object.prototype.toString.call(value).slice(8, -1);
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
