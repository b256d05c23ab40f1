import { constants } from 'node:os';
import { within } from '../../core/deadlines.js';
import { drainTwice, optionInvalid } from '../../core/options/errors.js';
import { requireKnownOptions } from '../../core/options/read-option.js';
import { engineOf, type HealthCore } from '../../core/health.js';
import { levels, type MessageLevel } from '../../core/heartbeat/messages.js';
import { flag, type Rule, timeout } from '../../core/options/rules.js';
import { readOption } from '../../core/options/options.js';
import { describe } from '../../core/scrub/scrub.js';
import { shared } from '../../core/shared.js';
import { Hurry } from './delay.js';
import { frameworkEnds } from './exit.js';
import type { Drain, EndingOptions } from './options.js';

/** What a process lets go before it ends: a server, or the work of a worker. */
export interface Draining {
  /** Says that it leaves, and waits until it may close. */
  leave(reason: string): Promise<void>;
  /** Takes nothing new and lets the rest end. What went wrong, a sentence each. */
  close(): Promise<readonly string[]>;
  /** Lets go of whatever it listens to. */
  release(): void;
}

/** What a draining may use. */
export interface DrainTools {
  readonly hurry: Hurry;
  readonly log: (level: MessageLevel, msg: string, error?: unknown) => void;
}

const hooks: Rule<readonly (() => unknown)[]> = {
  expects: 'a list of functions',
  accepts: (value): value is readonly (() => unknown)[] =>
    Array.isArray(value) && value.every((hook) => typeof hook === 'function'),
};
const signalNames: Rule<readonly NodeJS.Signals[]> = {
  expects: 'a list of signals such as SIGTERM',
  accepts: (value): value is readonly NodeJS.Signals[] =>
    Array.isArray(value) && value.every((name) => typeof name === 'string' && name in constants.signals),
};

/** The same with every default filled in. Throws for an option that is neither one of these nor named by `also`. */
export function resolveEnding(given: EndingOptions, also: readonly string[]): Required<EndingOptions> {
  const { exit = (code) => process.exit(code) } = given;
  if (typeof exit !== 'function') {
    throw optionInvalid(
      'Option exit',
      exit,
      'a function that takes the exit code',
      'Fix it, or omit it to use process.exit.',
    );
  }
  const settings = {
    failLbheartbeat: readOption(given.failLbheartbeat, 'failLbheartbeat', flag, true),
    drainTimeout: readOption(given.drainTimeout, 'drainTimeout', timeout, 10_000),
    onShutdown: readOption(given.onShutdown, 'onShutdown', hooks, []),
    shutdownTimeout: readOption(given.shutdownTimeout, 'shutdownTimeout', timeout, 5000),
    signals: readOption(given.signals, 'signals', signalNames, ['SIGTERM', 'SIGINT']),
    exit,
  };
  requireKnownOptions(given, [...also, ...Object.keys(settings)], 'drainOnSignals');
  return settings;
}

/** What has its draining already: two would end the process under each other. */
const drained = /* @__PURE__ */ shared('drained', () => new WeakSet<object>());

/** On a signal lets `what` go, runs `onShutdown` and ends the process. A second signal ends it at once. */
export function endOnSignals(
  what: object,
  kind: 'server' | 'worker',
  health: HealthCore<never>,
  settings: Required<EndingOptions>,
  open: (tools: DrainTools) => Draining,
): Drain {
  const engine = engineOf(health);
  if (drained.has(what)) throw drainTwice(kind);
  drained.add(what);

  const hurry = new Hurry();
  let draining: Promise<number> | undefined;
  const log = (level: MessageLevel, msg: string, error?: unknown) =>
    engine.log({ logger: 'health', level, time: Date.now(), fields: {}, msg, error });
  const parts = open({ hurry, log });

  function onSignal(signal: NodeJS.Signals): void {
    if (draining === undefined) void start(signal);
    else void end(128 + constants.signals[signal]);
  }
  function start(reason = 'requested'): Promise<number> {
    draining ??= drain(reason);
    return draining;
  }

  async function drain(reason: string): Promise<number> {
    // Keeps the process alive until the end is told, whatever the application has closed by then.
    const awake = setInterval(() => {}, 60_000);
    await parts.leave(reason);
    const wrong = await parts.close();
    for (const sentence of wrong) log(levels.error, sentence);
    const failed = await runHooks();
    health.close();
    clearInterval(awake);
    const code = wrong.length > 0 || failed ? 1 : 0;
    const ending =
      settings.exit === frameworkEnds ? 'the framework ends the process' : `the process ends with ${code}`;
    log(code === 0 ? levels.info : levels.error, `Drained: ${ending}`);
    void end(code);
    return code;
  }

  /** Whether one of the hooks failed or was late. The ones after it run all the same. */
  async function runHooks(): Promise<boolean> {
    const end = performance.now() + settings.shutdownTimeout;
    let failed = false;
    for (const hook of settings.onShutdown) {
      const { name }: { name: unknown } = hook;
      try {
        const called = Promise.resolve(hook()).then(() => true);
        const inTime = await within(called, Math.max(0, end - performance.now()), false);
        if (inTime) continue;
        log(levels.error, `onShutdown ${String(name)} did not finish within ${settings.shutdownTimeout} ms`);
      } catch (thrown) {
        log(levels.error, `onShutdown ${String(name)} threw ${describe(thrown)}`, thrown);
      }
      failed = true;
    }
    return failed;
  }

  /** Never rejects: a process whose own way to end fails or hangs must end all the same. */
  async function end(code: number): Promise<void> {
    try {
      const called = Promise.resolve(settings.exit(code)).then(() => true);
      if (await within(called, settings.shutdownTimeout, false)) return;
      log(levels.error, `exit did not finish within ${settings.shutdownTimeout} ms`);
    } catch (thrown) {
      log(levels.error, `exit threw ${describe(thrown)}`, thrown);
    }
    process.exit(code);
  }

  for (const signal of settings.signals) process.on(signal, onSignal);
  return {
    start,
    hurry: hurry.ask,
    stop() {
      parts.release();
      for (const signal of settings.signals) process.off(signal, onSignal);
      drained.delete(what);
    },
  };
}
