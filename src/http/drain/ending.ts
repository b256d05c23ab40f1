import { constants } from 'node:os';
import { within } from '../../core/deadlines.js';
import { drainTwice } from '../../core/options/errors.js';
import { engineOf, type HealthCore } from '../../core/health.js';
import { lastWords } from '../../core/last-words.js';
import { levels, type MessageLevel } from '../../core/heartbeat/messages.js';
import { describe } from '../../core/scrub/scrub.js';
import { shared } from '../../core/shared.js';
import { Hurry } from './delay.js';
import { Limits } from './limits.js';
import type { Drain } from './options.js';
import type { ResolvedEnding } from './resolve.js';

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
  readonly hurry: Hurry;
  readonly log: (level: MessageLevel, msg: string, error?: unknown) => void;
}

/** A drain in two steps, for a process that other code ends. */
export interface SteppedDrain extends Drain {
  /** Starts the drain. Resolves as soon as nothing is left, or only responses that the application must end. */
  settle(reason: string): Promise<void>;
  /** Milliseconds that the application may take to end the process, from now on. */
  timeLeft(): number;
}

/** Everything that is drained already: two drains would end the process under each other. */
const drained = /* @__PURE__ */ shared('drained', () => new WeakSet<object>());

/** On a signal closes `what`, runs `onShutdown` and ends the process, which `ends` describes. A second signal ends it at once. */
export function endOnSignals(
  what: object,
  kind: 'server' | 'worker',
  health: HealthCore<never>,
  settings: ResolvedEnding,
  open: (tools: DrainTools) => Draining,
  ends: (code: number) => string = (code) => `the process ends with ${code}`,
): SteppedDrain {
  const engine = engineOf(health);
  if (drained.has(what)) throw drainTwice(kind);
  drained.add(what);

  const hurry = new Hurry();
  let limits = new Limits(kind, settings);
  let draining: Promise<number> | undefined;
  let isSettled = false;
  let onSettled: (() => void) | undefined;
  const settled = new Promise<void>((resolve) => (onSettled = resolve));
  const log = (level: MessageLevel, msg: string, error?: unknown) =>
    engine.log({ logger: 'health', level, time: Date.now(), fields: {}, msg, error });
  const parts = open({ hurry, log });

  function onSignal(signal: NodeJS.Signals): void {
    if (draining === undefined) void start(signal);
    else {
      lastWords.say?.(`A second signal, ${signal}, ended the process before it was drained`);
      void end(128 + constants.signals[signal]);
    }
  }
  function start(reason = 'requested'): Promise<number> {
    draining ??= drain(reason);
    return draining;
  }

  async function drain(reason: string): Promise<number> {
    limits = new Limits(kind, settings);
    // Keeps the process alive until the end has been reported, whatever the application has closed by then.
    const awake = setInterval(() => {}, 60_000);
    await parts.leave(reason);
    const closing = parts.close(limits.drain(), () => {
      if (!isSettled)
        log(levels.info, 'Only endless responses are left: handlers and hooks of the application run now');
      isSettled = true;
      onSettled?.();
    });
    const closed = closing.then((sentences) => {
      for (const sentence of sentences) log(levels.error, sentence);
      if (sentences.length > 0) lastWords.say?.(`The drain was not complete: ${sentences.join('; ')}`);
      onSettled?.();
      return sentences;
    });
    await settled;
    const [wrong, failed] = await Promise.all([closed, runHooks()]);
    health.close();
    clearInterval(awake);
    const code = wrong.length > 0 || failed ? 1 : 0;
    log(code === 0 ? levels.info : levels.error, `Drained: ${ends(code)}`);
    // A process that keeps running must not keep ignoring signals.
    void end(code).then(stop);
    return code;
  }

  /** Whether one of the hooks failed or was late. The ones after it run all the same. */
  async function runHooks(): Promise<boolean> {
    const limit = limits.shutdown();
    const end = performance.now() + limit;
    let failed = false;
    for (const hook of settings.onShutdown) {
      const { name }: { name: unknown } = hook;
      try {
        const called = Promise.resolve(hook()).then(() => true);
        const inTime = await within(called, Math.max(0, end - performance.now()), false);
        if (inTime) continue;
        log(levels.error, `onShutdown ${String(name)} did not finish within ${limit} ms`);
      } catch (thrown) {
        log(levels.error, `onShutdown ${String(name)} threw ${describe(thrown)}`, thrown);
      }
      failed = true;
    }
    return failed;
  }

  /** Never rejects: a process whose own way to end fails or hangs must end all the same. */
  async function end(code: number): Promise<void> {
    const limit = limits.shutdown();
    try {
      const called = Promise.resolve(settings.exit(code)).then(() => true);
      if (await within(called, limit, false)) return;
      log(levels.error, `exit did not finish within ${limit} ms`);
    } catch (thrown) {
      log(levels.error, `exit threw ${describe(thrown)}`, thrown);
    }
    process.exit(code);
  }

  let isStopped = false;
  function stop(): void {
    // Another draining may have the server by now.
    if (isStopped) return;
    isStopped = true;
    forgetClose();
    parts.release();
    for (const signal of settings.signals) process.off(signal, onSignal);
    drained.delete(what);
  }

  for (const signal of settings.signals) process.on(signal, onSignal);
  // A drain that has begun continues: hooks of the application may close the Health.
  const forgetClose = engine.onClose(() => {
    if (draining === undefined) stop();
  });
  return {
    start,
    settle(reason) {
      void start(reason);
      return settled;
    },
    timeLeft: () => limits.shutdown(),
    hurry: hurry.request,
    stop,
  };
}
