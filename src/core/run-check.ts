import { Deadline, unwatch, watch } from './deadlines.js';
import {
  type CheckMessage,
  Error as ErrorMessage,
  Info,
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
  /** @internal The name as it stands in JSON. */
  readonly key: string;
  readonly level: Level;
  readonly status: Status;
  readonly messages: readonly CheckMessage[];
  /** Milliseconds the run took. */
  readonly duration: number;
  /** What the check threw, for the log alone. */
  readonly error?: unknown;
  /** Whether an earlier heartbeat was given this very result: it is in the log already. */
  readonly again?: boolean;
}

/** What a run needs to know beside its check. */
export interface RunSettings {
  readonly timeout: number;
  /** Milliseconds all checks together may take; Infinity where there is no such bound. */
  readonly heartbeatTimeout: number;
  readonly silenced: ReadonlySet<string>;
}

/** Takes the result of a run; `index` is that of its check. */
export type Settle = (result: CheckResult, index: number) => void;

/**
 * Runs one check and calls `settle` exactly once, at once where the check is synchronous.
 * Whatever the check does (throw, hang, return junk) becomes a result; nothing is thrown from here.
 */
export function runCheck(
  check: RegisteredCheck,
  index: number,
  settings: RunSettings,
  /** When the heartbeat's time is up, on the clock of `performance.now()`. */
  due: number,
  settle: Settle,
): void {
  if (check.hung > 0) {
    settle(resultOf(check, settings, 0, stillRunning(check)), index);
    return;
  }
  const run = new Run(check, index, settings, due, settle);
  if (run.isTooLate) {
    settle(resultOf(check, settings, 0, notStarted(check, settings)), index);
    return;
  }
  try {
    const outcome = check.run(run);
    if (isPromise(outcome)) run.wait(outcome);
    else run.accept(outcome);
  } catch (thrown) {
    run.fail(thrown);
  }
}

/** One run under way. It is the context the check is given; the signal is made only when asked for. */
class Run extends Deadline implements CheckContext {
  readonly #check: RegisteredCheck;
  readonly #index: number;
  readonly #settings: RunSettings;
  readonly #settle: Settle;
  readonly #started: number;
  #controller: AbortController | undefined;
  #settled = false;
  #timedOut = false;

  constructor(check: RegisteredCheck, index: number, settings: RunSettings, due: number, settle: Settle) {
    const started = performance.now();
    super(Math.min(started + (check.timeout ?? settings.timeout), due));
    this.#check = check;
    this.#index = index;
    this.#settings = settings;
    this.#settle = settle;
    this.#started = started;
  }

  get name(): string {
    return this.#check.name;
  }

  /** Checks that block have used up the heartbeat's time. */
  get isTooLate(): boolean {
    return this.due <= this.#started;
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
    this.#settle(resultOf(this.#check, this.#settings, duration, messages, error), this.#index);
  }

  fail(thrown: unknown): void {
    const text = `Check ${this.name} threw ${describe(thrown)}`;
    this.finish([new ErrorMessage(text, { id: 'health.E011' })], thrown);
  }

  expire(): void {
    const check = this.#check;
    this.#timedOut = true;
    if (check.hung === 0) check.hungSince = Date.now() - (performance.now() - this.#started);
    check.hung += 1;
    const { timeout, heartbeatTimeout } = this.#settings;
    const own = check.timeout ?? timeout;
    const isOwn = this.due - this.#started >= own;
    const limit = isOwn ? `${own} ms` : `the ${heartbeatTimeout} ms of the heartbeat`;
    const text = `Check ${this.name} gave no answer within ${limit}`;
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

function notStarted(check: RegisteredCheck, { heartbeatTimeout }: RunSettings): readonly CheckMessage[] {
  const text = `Check ${check.name} was not started: other checks had used up the ${heartbeatTimeout} ms of the heartbeat`;
  return [new ErrorMessage(text, { id: 'health.E012' })];
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
  const { name, key } = check;
  // The usual case: nothing to silence, to count or to cap.
  if (all.length === 0) return { name, key, level: 0, status: 'ok', messages: none, duration, error };
  const { silenced } = settings;
  const messages = silenced.size === 0 ? all : all.filter((message) => !silenced.has(message.id));
  let level: Level = 0;
  for (const message of messages) if (message.level > level) level = message.level;
  if (level > check.maxLevel) level = check.maxLevel;
  return {
    name,
    key,
    level,
    status: statusOf(level),
    messages: atMost(messages),
    duration,
    error,
  };
}

const most = 1000;

/** A check that floods must not fill the log and the body of every probe. */
function atMost(messages: readonly CheckMessage[]): readonly CheckMessage[] {
  if (messages.length <= most) return messages;
  const text = `${messages.length - most} more messages of this check are not shown`;
  return [...messages.slice(0, most), new Info(text, { id: 'health.I002' })];
}

const none: readonly CheckMessage[] = [];

function toMessages(check: RegisteredCheck, outcome: unknown): readonly CheckMessage[] {
  if (outcome === undefined || outcome === null) return none;
  if (Array.isArray(outcome)) {
    if (outcome.length === 0) return none;
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
