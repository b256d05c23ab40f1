import { constants } from 'node:os';
import { within } from '../../core/deadlines.js';
import { appInvalid, drainTwice, optionInvalid } from '../../core/options/errors.js';
import { requireKnownOptions } from '../../core/options/read-option.js';
import { engineOf, type HealthCore, isHealth } from '../../core/health.js';
import { levels, type MessageLevel } from '../../core/heartbeat/messages.js';
import { optional, duration, type Rule, timeout, flag } from '../../core/options/rules.js';
import { readOption } from '../../core/options/options.js';
import { describe } from '../../core/scrub/scrub.js';
import { shared } from '../../core/shared.js';
import { Connections, isServer, type Server } from './connections.js';
import { frameworkEnds } from './exit.js';
import { drainDelayOf, Hurry, waitOut } from './delay.js';
import { watchDrained } from '../node/watch-server.js';

/** Options of draining. Those that are numbers or truths are also read from `HEALTH_` + their name in capitals. */
export interface DrainOptions {
  /** Milliseconds to go on answering after the signal, until no load balancer sends anything more. Default 5000; 0 if `NODE_ENV` is `development` or `test`, or is not set and the process runs at a terminal. */
  readonly drainDelay?: number;
  /** Whether `/__lbheartbeat__` answers 503 from the signal on, so that load balancers send their requests elsewhere. Default true. */
  readonly failLbheartbeat?: boolean;
  /** Milliseconds that requests may take to end once no new ones are accepted; then they are cut. Default 10000. */
  readonly drainTimeout?: number;
  /** What to do when all connections have ended: close pools, flush. One after the other. */
  readonly onShutdown?: readonly (() => unknown)[];
  /** Milliseconds all of `onShutdown` may take. Default 5000. */
  readonly shutdownTimeout?: number;
  /** The signals that start it. Default SIGTERM, and SIGINT, with which PM2 stops a process. */
  readonly signals?: readonly NodeJS.Signals[];
  /** What ends the process; gets 0, 1 when something was cut or failed, 128 + its number for a second signal. Where it fails, `process.exit` does it. Default `process.exit`. */
  readonly exit?: (code: number) => unknown;
}

/** The draining of a process. */
export interface Drain {
  /** Starts it without a signal. The same promise each time; it gives the exit code. */
  start(reason?: string): Promise<number>;
  /** Ends the waiting: the server closes now and what is open is cut. `onShutdown` still runs. */
  hurry(): void;
  /** Lets go of the signals and of the server. */
  stop(): void;
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

/** Servers that have it already: two would end the process under each other. */
const drained = /* @__PURE__ */ shared('drained', () => new WeakSet<Server>());

/**
 * On SIGTERM or SIGINT: goes on answering for `drainDelay`, `/__lbheartbeat__` with 503, tells keep-alive clients to leave
 * with their next answer, then closes the server, waits for what is under way, runs `onShutdown` and **ends the process**.
 * A second signal ends it at once.
 *
 * @example drainOnSignals(server, health, { onShutdown: [() => pool.end()] });
 */
export function drainOnSignals(server: Server, health: HealthCore<never>, options: DrainOptions = {}): Drain {
  const settings = resolve(options);
  if (!isServer(server)) {
    throw appInvalid('a server', server, 'drainOnSignals(app.listen(listenOptions()), health)');
  }
  if (!isHealth(health)) throw appInvalid('a Health', health, 'drainOnSignals(server, new Health(app))');
  const engine = engineOf(health);
  if (drained.has(server)) throw drainTwice();
  drained.add(server);

  watchDrained(engine, server);
  const connections = new Connections(server);
  const hurry = new Hurry();
  let draining: Promise<number> | undefined;
  const log = (level: MessageLevel, msg: string, error?: unknown) =>
    engine.log({ logger: 'health', level, time: Date.now(), fields: {}, msg, error });

  function onSignal(signal: NodeJS.Signals): void {
    if (draining === undefined) void start(signal);
    else void end(128 + constants.signals[signal]);
  }
  function start(reason = 'asked to'): Promise<number> {
    draining ??= drain(reason);
    return draining;
  }

  async function drain(reason: string): Promise<number> {
    const delay = drainDelayOf(settings.drainDelay, reason);
    // Keeps the process alive until the end is told, whatever the application has closed by then.
    const awake = setInterval(() => {}, 60_000);
    const because = delay.why && ` (${delay.why})`;
    log(levels.info, `Draining (${reason}): ${delay.ms} ms until the server closes${because}`);
    engine.leave(settings.failLbheartbeat);
    connections.sendAway();
    if ((await waitOut(delay, hurry.asked)) === 'orphaned') {
      log(levels.info, 'The process that started this one is gone: the server closes now');
    }

    const cut = await connections.close(settings.drainTimeout, hurry.asked);
    if (cut !== 'nothing') {
      const why = hurry.isAsked
        ? 'the drain was ended before they were'
        : `they took longer than ${settings.drainTimeout} ms to end`;
      log(levels.error, `${cut === 'requests' ? 'Requests' : 'Upgraded connections'} were cut: ${why}`);
    }
    const failed = await runHooks();
    health.close();
    clearInterval(awake);
    const code = cut !== 'nothing' || failed ? 1 : 0;
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
        log(levels.error, `onShutdown ${String(name)} was not done within ${settings.shutdownTimeout} ms`);
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
      log(levels.error, `exit was not done within ${settings.shutdownTimeout} ms`);
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
      connections.release();
      for (const signal of settings.signals) process.off(signal, onSignal);
      drained.delete(server);
    },
  };
}

/** Every default filled in, but that of the delay: what it depends on is asked when it starts. */
interface DrainSettings extends Required<Omit<DrainOptions, 'drainDelay'>> {
  readonly drainDelay: number | undefined;
}

function resolve(given: DrainOptions): DrainSettings {
  const { exit = (code) => process.exit(code) } = given;
  if (typeof exit !== 'function') {
    throw optionInvalid('Option exit', exit, 'a function of the exit code', 'Leave it out for process.exit.');
  }
  const settings = {
    drainDelay: readOption(given.drainDelay, 'drainDelay', optional(duration), undefined),
    failLbheartbeat: readOption(given.failLbheartbeat, 'failLbheartbeat', flag, true),
    drainTimeout: readOption(given.drainTimeout, 'drainTimeout', timeout, 10_000),
    onShutdown: readOption(given.onShutdown, 'onShutdown', hooks, []),
    shutdownTimeout: readOption(given.shutdownTimeout, 'shutdownTimeout', timeout, 5000),
    signals: readOption(given.signals, 'signals', signalNames, ['SIGTERM', 'SIGINT']),
    exit,
  };
  requireKnownOptions(given, Object.keys(settings), 'drainOnSignals');
  return settings;
}
