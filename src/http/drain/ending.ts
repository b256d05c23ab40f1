import { constants } from 'node:os';
import { within } from '../../core/time.js';
import type { HealthCore } from '../../core/health.js';
import { levels, type MessageLevel } from '../../core/heartbeat/messages.js';
import { lastWords } from '../../core/loop.js';
import { drainTwice } from '../../core/options/errors.js';
import { describe } from '../../core/scrub/scrub.js';
import { shared } from '../../core/runtime.js';
import { type Drain, Limits, type ResolvedEnding } from './options.js';

/** A server, or the work of a worker, that closes before the process ends. */
export interface Draining {
  /** Says that it leaves, and waits until it may close. */
  leave(reason: string): Promise<void>;
  /**
   * Takes nothing new and lets the rest end, for `limit` milliseconds. Calls `onlyEndless` as soon as only the application can end the
   * rest. Returns the problems, one sentence each.
   */
  close(limit: number, onlyEndless: () => void): Promise<readonly string[]>;
  /** Lets go of whatever it listens to. */
  release(): void;
}

/** The environment of a drain. */
export interface DrainTools {
  /** Set when the drain must end now. */
  readonly hurry: Latch;
  readonly log: DrainLog;
}

/** A drain in two steps, for a process that other code ends. */
export interface SteppedDrain extends Drain {
  /** Starts the drain. Resolves as soon as nothing is left, or only responses that the application must end. */
  settle(reason: string): Promise<void>;
  /** Milliseconds that the application may take to end the process, from now on. */
  timeLeft(): number;
}

/** The `exit` of a drain whose process the framework ends, by the signal or by a code of its own. */
export const frameworkEnds = (): void => {};

/** Everything that is drained already: two drains would end the process under each other. */
const drained = /* @__PURE__ */ shared('drained', () => new WeakSet<object>());

export const isDrained = (what: object): boolean => drained.has(what);

/** Servers that the option `drain` drains: `drainOnSignals` takes them over. */
export const byOption = new WeakMap<object, () => void>();

/**
 * On a signal closes `what`, runs `onShutdown` and ends the process, which `ends` describes. A second signal ends it at once. Its public members
 * are functions that need no `this`: callers take them out of the object.
 */
export class DrainOnSignals implements SteppedDrain {
  readonly #what: object;
  readonly #health: HealthCore<never>;
  readonly #settings: ResolvedEnding;
  readonly #ends: (code: number) => string;
  readonly #hurry = new Latch();
  readonly #limits: Limits;
  readonly #log: DrainLog;
  readonly #parts: Draining;
  /** Set when nothing is left, or only responses that the application must end. */
  readonly #settled = new Latch();
  #draining: Promise<number> | undefined;
  #isStopped = false;
  readonly #forgetClose: () => void;

  constructor(
    what: object,
    kind: 'server' | 'worker',
    health: HealthCore<never>,
    settings: ResolvedEnding,
    open: (tools: DrainTools) => Draining,
    ends = (code: number) =>
      settings.exit === frameworkEnds ? 'the framework ends the process' : `the process ends with ${code}`,
  ) {
    byOption.get(what)?.();
    if (drained.has(what)) throw drainTwice(kind);
    drained.add(what);
    this.#what = what;
    this.#health = health;
    this.#settings = settings;
    this.#ends = ends;
    this.#limits = new Limits(kind, settings);
    this.#log = (level, msg, error) =>
      health.log({ logger: 'health', level, time: Date.now(), fields: {}, msg, error });
    this.#parts = open({ hurry: this.#hurry, log: this.#log });
    for (const signal of settings.signals) process.on(signal, this.#onSignal);
    // A drain that has begun continues: hooks of the application may close the Health.
    this.#forgetClose = health.onClose(() => {
      if (this.#draining === undefined) this.stop();
    });
  }

  readonly start = (reason = 'requested'): Promise<number> => {
    this.#draining ??= this.#drain(reason);
    return this.#draining;
  };

  readonly settle = (reason: string): Promise<void> => {
    void this.start(reason);
    return this.#settled.whenSet;
  };

  readonly timeLeft = (): number => this.#limits.shutdown();

  readonly hurry = this.#hurry.set;

  readonly stop = (): void => {
    // Another draining may have the server by now.
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#forgetClose();
    this.#parts.release();
    for (const signal of this.#settings.signals) process.off(signal, this.#onSignal);
    drained.delete(this.#what);
  };

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (this.#draining === undefined) void this.start(signal);
    else {
      lastWords.say?.(`A second signal, ${signal}, ended the process before it was drained`);
      void this.#end(128 + constants.signals[signal]);
    }
  };

  async #drain(reason: string): Promise<number> {
    // Keeps the process alive until the end has been reported, whatever the application has closed by then.
    const awake = setInterval(() => {}, 60_000);
    let code = 1;
    try {
      code = await this.#steps(reason);
    } catch (thrown) {
      this.#log(levels.error, `The drain failed: ${describe(thrown)}`, thrown);
      this.#settled.set();
    }
    clearInterval(awake);
    // A process that keeps running must not keep ignoring signals.
    void this.#end(code).then(this.stop);
    return code;
  }

  async #steps(reason: string): Promise<number> {
    this.#limits.restart();
    await this.#parts.leave(reason);
    const closing = this.#close();
    await Promise.race([closing, this.#settled.whenSet]);
    const results = await Promise.all([closing, this.#runHooks()]);
    this.#health.close();
    const code = results.every(Boolean) ? 0 : 1;
    this.#log(code === 0 ? levels.info : levels.error, `Drained: ${this.#ends(code)}`);
    return code;
  }

  /** Never rejects: a process whose own way to end fails or hangs must end all the same. */
  async #end(code: number): Promise<void> {
    const limit = this.timeLeft();
    const { exit } = this.#settings;
    if (!(await this.#succeeds('exit', () => exit(code), limit))) process.exit(code);
  }

  /** Runs `onShutdown`. Whether each hook succeeded; those after one that failed run all the same. */
  async #runHooks(): Promise<boolean> {
    const limit = this.timeLeft();
    const end = performance.now() + limit;
    let succeeded = true;
    for (const hook of this.#settings.onShutdown) {
      const { name }: { name: unknown } = hook;
      if (!(await this.#succeeds(`onShutdown ${String(name)}`, hook, limit, end))) succeeded = false;
    }
    return succeeded;
  }

  /** Whether a function of the application succeeds within `limit` milliseconds, and before `end`. If it does not, the log says why. */
  async #succeeds(
    who: string,
    call: () => unknown,
    limit: number,
    end = performance.now() + limit,
  ): Promise<boolean> {
    try {
      const called = Promise.resolve(call()).then(() => true);
      if (await within(called, Math.max(0, end - performance.now()), false)) return true;
      this.#log(levels.error, `${who} did not finish within ${limit} ms`);
    } catch (thrown) {
      this.#log(levels.error, `${who} threw ${describe(thrown)}`, thrown);
    }
    return false;
  }

  /** Whether everything ended in time. */
  async #close(): Promise<boolean> {
    const problems = await this.#parts.close(this.#limits.drain(), () => {
      if (!this.#settled.isSet)
        this.#log(
          levels.info,
          'Only endless responses are left: handlers and hooks of the application run now',
        );
      this.#settled.set();
    });
    for (const problem of problems) this.#log(levels.error, problem);
    if (problems.length > 0) lastWords.say?.(`The drain was not complete: ${problems.join('; ')}`);
    this.#settled.set();
    return problems.length === 0;
  }
}

/** Something that happens at most once: others wait for it, or ask whether it has happened. */
class Latch {
  isSet = false;
  readonly whenSet: Promise<void>;
  #fulfil = () => {};

  constructor() {
    this.whenSet = new Promise((resolve) => (this.#fulfil = resolve));
  }

  readonly set = (): void => {
    this.isSet = true;
    this.#fulfil();
  };
}

type DrainLog = (level: MessageLevel, msg: string, error?: unknown) => void;
