import { constants } from 'node:os';
import { within } from '../../core/time.js';
import type { HealthCore } from '../../core/health.js';
import { levels } from '../../core/heartbeat/messages.js';
import { lastWords } from '../../core/loop.js';
import { drainTwice } from '../../core/options/errors.js';
import { describe } from '../../core/scrub/scrub.js';
import { shared } from '../../core/runtime.js';
import type { Drain, ResolvedEnding } from './options.js';

/** A server, or the work of a worker, that closes before the process ends. */
export interface Draining {
  /** Says that it leaves, and waits until it may close. */
  leave(reason: string): Promise<void>;
  /**
   * Accepts nothing new and lets the rest end, for `limit` milliseconds. Calls `onlyEndless` as soon as only the application can end the
   * rest. Returns the problems, one text each.
   */
  close(limit: number, onlyEndless: () => void): Promise<readonly string[]>;
  release(): void;
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

/**
 * Everything that is drained already: two drains would end the process under each other. A server that the option `drain` drains has a function
 * that ends this: `drainOnSignals` replaces it.
 */
export const drained: WeakMap<object, (() => void) | undefined> = /* @__PURE__ */ shared(
  'drained',
  () => new WeakMap(),
);

/**
 * Docker kills a process 10 s after SIGTERM, so a drain ends by itself before that: a timeout that is not set is the rest of the 9 s of the
 * whole drain. Milliseconds since the signal.
 */
const usual = { server: 8000, worker: 7000, process: 9000 };
/** The least time for requests, jobs and `onShutdown`, after a delay that was set to more than the usual one. */
const least = { drain: 3000, shutdown: 1000 };

/**
 * On a signal closes `what`, runs `onShutdown` and ends the process, which `ends` describes. A second signal ends it at once. The functions that
 * it returns need no `this`: callers take them out of the object.
 */
export function openDrain(
  what: object,
  kind: 'server' | 'worker',
  health: HealthCore<never>,
  settings: ResolvedEnding,
  open: (hurry: Latch) => Draining,
  ends = (code: number) =>
    settings.exit === frameworkEnds ? 'the framework ends the process' : `the process ends with ${code}`,
): SteppedDrain {
  drained.get(what)?.();
  if (drained.has(what)) throw drainTwice(kind);
  drained.set(what, undefined);
  const hurry = new Latch();
  /** Set when nothing is left, or only responses that the application must end. */
  const settled = new Latch();
  const parts = open(hurry);
  let began = performance.now();
  let draining: Promise<number> | undefined;
  let isStopped = false;

  const left = (until: number, atLeast: number) =>
    Math.max(atLeast, Math.round(until - (performance.now() - began)));
  const timeLeft = () => settings.shutdownTimeout ?? left(usual.process, least.shutdown);

  const start = (reason = 'requested') => (draining ??= drain(reason));

  const stop = () => {
    // Another draining may have the server by now.
    if (isStopped) return;
    isStopped = true;
    forgetClose();
    parts.release();
    for (const signal of settings.signals) process.off(signal, onSignal);
    drained.delete(what);
  };

  const onSignal = (signal: NodeJS.Signals) => {
    if (draining === undefined) void start(signal);
    else {
      lastWords.say?.(`A second signal, ${signal}, ended the process before it was drained`);
      void end(128 + constants.signals[signal]);
    }
  };

  for (const signal of settings.signals) process.on(signal, onSignal);
  // A drain that has begun continues: hooks of the application may close the Health.
  const forgetClose = health.onClose(() => {
    if (draining === undefined) stop();
  });

  async function drain(reason: string): Promise<number> {
    began = performance.now();
    // Keeps the process alive until the end has been reported, regardless of what the application has closed by then.
    const awake = setInterval(() => {}, 60_000);
    const code = await takeSteps(reason).catch((thrown: unknown) => {
      health.logError(`The drain failed: ${describe(thrown)}`, thrown);
      settled.set();
      return 1;
    });
    clearInterval(awake);
    // A process that keeps running must not keep ignoring signals.
    void end(code).then(stop);
    return code;
  }

  async function takeSteps(reason: string): Promise<number> {
    await parts.leave(reason);
    const closing = close();
    await Promise.race([closing, settled.whenSet]);
    const results = await Promise.all([closing, runHooks(health, settings.onShutdown, timeLeft())]);
    health.close();
    const code = results.every(Boolean) ? 0 : 1;
    health.say(code === 0 ? levels.info : levels.error, `Drained: ${ends(code)}`);
    return code;
  }

  async function close(): Promise<boolean> {
    const limit = settings.timeout ?? left(usual[kind], least.drain);
    const problems = await parts.close(limit, () => {
      if (settled.isSet) return;
      health.say(
        levels.info,
        'Only endless responses are left: handlers and hooks of the application run now',
      );
      settled.set();
    });
    for (const problem of problems) health.say(levels.error, problem);
    if (problems.length > 0) lastWords.say?.(`The drain was not complete: ${problems.join('; ')}`);
    settled.set();
    return problems.length === 0;
  }

  /** Never rejects: a process whose own way to end fails or hangs must end all the same. */
  async function end(code: number): Promise<void> {
    const limit = timeLeft();
    const ended = succeeds(health, 'exit', () => settings.exit(code), limit, performance.now() + limit);
    if (!(await ended)) process.exit(code);
  }

  return {
    start,
    settle(reason) {
      void start(reason);
      return settled.whenSet;
    },
    timeLeft,
    hurry: hurry.set,
    stop,
  };
}

/** Runs `onShutdown`. Whether each hook succeeded; those after one that failed run all the same. */
async function runHooks(
  health: HealthCore<never>,
  hooks: ResolvedEnding['onShutdown'],
  limit: number,
): Promise<boolean> {
  const until = performance.now() + limit;
  let succeeded = true;
  for (const hook of hooks) {
    if (!(await succeeds(health, `onShutdown ${hook.name}`, hook, limit, until))) succeeded = false;
  }
  return succeeded;
}

/** Whether a function of the application succeeds until its time, after `limit` milliseconds at most. If it does not, the log says why. */
async function succeeds(
  health: HealthCore<never>,
  who: string,
  call: () => unknown,
  limit: number,
  until: number,
): Promise<boolean> {
  try {
    const called = Promise.resolve(call()).then(() => true);
    if (await within(called, Math.max(0, until - performance.now()), false)) return true;
    health.say(levels.error, `${who} did not finish within ${limit} ms`);
  } catch (thrown) {
    health.logError(`${who} threw ${describe(thrown)}`, thrown);
  }
  return false;
}

/** Something that happens at most once: others wait for it, or read whether it has happened. */
export class Latch {
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
