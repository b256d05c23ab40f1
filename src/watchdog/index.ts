import type { Worker } from 'node:worker_threads';
import { endpointPaths, pathname, prefixed } from '../core/endpoints.js';
import type { HealthCore } from '../core/health.js';
import { levels, type MessageLevel } from '../core/heartbeat/messages.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import { silent } from '../core/log.js';
import { loop, type LoopBlock } from '../core/loop.js';
import {
  LifesignError,
  watchdogEnded,
  watchdogPortTaken,
  watchdogTwice,
  watchdogUnsupported,
} from '../core/options/errors.js';
import type { ResolvedWatchdog } from '../core/options/features.js';
import { listenOptions } from '../core/options/variables.js';
import { currentRequest, outsideRequest, type RequestContext } from '../core/request/request.js';
import { attempt, environment, host, hostName, isClusterWorker, shared } from '../core/runtime.js';
import { describe } from '../core/scrub/scrub.js';
import { defaultLineFormat, lineFormat } from '../logging/stdout.js';
import { SharedRequests } from '../probes/requests.js';
import {
  blockedRecord,
  cellCount,
  cells,
  clock,
  freedRecord,
  beatInterval,
  stuckRecord,
  type ThreadData,
  type ThreadMessage,
} from './cells.js';
import { LastWords } from './last-words.js';

// Kept: fake timers of a test must not stop the watchdog.
const { setInterval, clearInterval, setTimeout, clearTimeout } = globalThis;

/** The thread calls this function through the inspector while the main thread is paused in other code. */
const watched: { state?: (() => unknown) | undefined } = /* @__PURE__ */ shared('watchdog', () => ({}));

/**
 * Starts the watchdog if the options turn it on: a thread that answers `/__lbheartbeat__` on its own port while the event loop is blocked, and
 * logs the code that blocks it. It starts at once, so that a block of the very first turn is seen too.
 */
export function startWatchdog(health: HealthCore<never>): void {
  const { watchdog } = health.options;
  if (watchdog === undefined) return;
  if (host.getBuiltinModule?.('node:worker_threads') === undefined) throw watchdogUnsupported();
  try {
    if (watched.state !== undefined) throw watchdogTwice();
    let watch: Watch | undefined = new Watch(health, watchdog);
    health.addFeature({
      onLeave: (refusing) => watch?.leave(refusing),
      onVerdict: (change) => watch?.wedge(change),
      close() {
        watch?.close();
        watch = undefined;
      },
    });
  } catch (error) {
    const msg = `The watchdog is not running: ${describe(error)}`;
    const fields = { ...(error instanceof LifesignError && { code: error.code }) };
    health.log({ logger: 'health', level: levels.error, time: Date.now(), fields, msg, error });
  }
}

/** The watchdog's half in the main thread: it beats, and reports the blocks that the thread saw. */
class Watch {
  readonly #health: HealthCore<never>;
  readonly #options: ResolvedWatchdog;
  readonly #cells = new Int32Array(new SharedArrayBuffer(4 * cellCount));
  readonly #requests = new SharedRequests();
  readonly #lastWords: LastWords;
  readonly #endThread: () => void;
  readonly #host = listenOptions().host;
  readonly #isProfiled = isProfiled();
  readonly #format;
  #beat: NodeJS.Timeout | undefined;
  /** Whether the stack of the reported block is already in a line. */
  #written = false;

  constructor(health: HealthCore<never>, options: ResolvedWatchdog) {
    this.#health = health;
    this.#options = options;
    const { logger, loggerName, prefix, probes } = health.options;
    const inMainThread = process.getBuiltinModule('node:worker_threads').isMainThread;
    const terminationLog = options.terminationLog || undefined;
    this.#format = lineFormat(logger) ?? defaultLineFormat();
    this.#lastWords = new LastWords(terminationLog, inMainThread, (record) => health.log(record));
    watched.state = () => {
      this.#note();
      return requestUnderWay();
    };
    this.#note();
    process.once('exit', this.#onExit);
    outsideRequest(() => {
      this.#beat = setInterval(() => this.#onBeat(), beatInterval(options.busyAfter)).unref();
    });
    const data: ThreadData = {
      ...options,
      cells: this.#cells,
      requests: this.#requests.memory,
      terminationLog,
      inMainThread,
      live: prefixed(prefix, probes?.live ?? []),
      up: prefixed(prefix, [endpointPaths.lbheartbeat]),
      host: this.#host,
      loggerName,
      hostname: hostName(),
      pid: process.pid,
      format: logger === silent ? undefined : this.#format,
    };
    this.#endThread = runThread(
      data,
      (message) => this.#onMessage(message),
      (error) => this.#log(40, error),
    );
  }

  /** Whether load balancers get a 503. */
  leave(refusing: boolean): void {
    this.#set('refusing', refusing);
  }

  /** Passes on whether `/livez` fails, and why. */
  wedge({ live, checks }: VerdictChange): void {
    const own = checks.filter(({ scope }) => scope === 'instance');
    const why = own.map(({ name, evidence }) => `${name}: ${evidence}`).join('; ');
    this.#set('wedged', live === 'fail');
    this.#lastWords.wedge(live === 'fail' ? `livez fails: ${why}` : undefined);
  }

  close(): void {
    clearInterval(this.#beat);
    this.#endThread();
    this.#requests.release();
    this.#lastWords.release();
    process.removeListener('exit', this.#onExit);
    watched.state = undefined;
  }

  readonly #onExit = (code: number) => {
    this.#set('ending', true);
    this.#lastWords.end(code);
  };

  #set(cell: keyof typeof cells, value: boolean): void {
    Atomics.store(this.#cells, cells[cell], value ? 1 : 0);
  }

  #onBeat(): void {
    Atomics.store(this.#cells, cells.beat, clock());
    this.#note();
    this.#requests.sweep();
    if (Atomics.exchange(this.#cells, cells.probed, 0) === 1) this.#health.watchdogProbed();
  }

  /** Updates the cells that the thread reads before it attaches or writes. */
  #note(): void {
    const inspector = attempt(() => process.getBuiltinModule('node:inspector').url());
    this.#set('inspector', this.#isProfiled || inspector !== undefined);
    this.#set('midLine', attempt(() => process[this.#format.to].writableLength > 0) === true);
  }

  #onMessage(message: ThreadMessage): void {
    const health = this.#health;
    switch (message.kind) {
      case 'listening':
        return health.say(20, `The watchdog is listening on ${this.#host}:${message.port}`);
      case 'refused': {
        const inCluster = isClusterWorker();
        const address = `${this.#host}:${this.#options.port}`;
        // With one port for all workers, one of them gets it.
        return this.#log(inCluster ? 20 : 40, watchdogPortTaken(address, message.reason, inCluster));
      }
      case 'blocked':
        this.#written = message.written && lineFormat(health.options.logger) !== undefined;
        // The thread could not write it: half a line was in standard output.
        if (!message.written) health.log(blockedRecord(message.block));
        loop.blocks += 1;
        return this.#emit('loopBlocked', message.block);
      case 'stuck':
        this.#lastWords.stuck();
        if (!message.written) health.log(stuckRecord(message.block));
        return;
      case 'freed':
        this.#lastWords.freed();
        return this.#onFreed(message.block);
    }
  }

  #onFreed(block: LoopBlock): void {
    const known = loop.last?.stack;
    this.#health.log(freedRecord(block, !this.#written || known !== block.stack));
    loop.blockedFor += block.blockedFor;
    this.#emit('loopFreed', block);
  }

  #emit(name: 'loopBlocked' | 'loopFreed', block: LoopBlock): void {
    const health = this.#health;
    loop.last = block;
    health.emit(name, () => ({ ...block, health }));
  }

  #log(level: MessageLevel, { message: msg, code }: LifesignError): void {
    this.#health.log({ logger: 'health', level, time: Date.now(), fields: { code }, msg });
  }
}

/** Whether Node profiles the main thread: to pause it would show in the profile. */
function isProfiled(): boolean {
  const flags = [...process.execArgv, ...(environment()['NODE_OPTIONS'] ?? '').split(' ')];
  return flags.some((flag) => /^--(?:cpu|heap)-prof$/.test(flag));
}

/** The request that the current code runs for. Only plain values: they go to another thread. */
function requestUnderWay() {
  const context: (RequestContext & { method?: string; target?: string }) | undefined = currentRequest();
  if (context === undefined) return {};
  const { id: rid, method, target } = context;
  // Without the query, which may carry anything.
  return { rid, method, path: target === undefined ? undefined : pathname(target) || '/' };
}

/** Milliseconds before each restart of a thread that ended. */
const restartDelays = [1000, 5000, 25_000];

/** Starts the thread and restarts it a few times if it ends; returns a function that ends it. Its errors do not reach the process. */
function runThread(
  workerData: ThreadData,
  onMessage: (message: ThreadMessage) => void,
  onError: (error: LifesignError) => void,
): () => void {
  const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
  let worker: Worker | undefined;
  let restarts = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const onEnd = (reason: string): void => {
    if (closed) return;
    worker = undefined;
    const delay = restartDelays[restarts];
    if (delay === undefined) return onError(watchdogEnded(reason, 'It will not be restarted.'));
    restarts += 1;
    onError(watchdogEnded(reason, `It will be restarted in ${delay / 1000} s.`));
    timer = setTimeout(start, delay);
    timer.unref();
  };
  const start = (): void => {
    let reason = '';
    try {
      worker = new Thread(new URL('./thread.js', import.meta.url), {
        name: 'lifesign-watchdog',
        workerData,
        // The thread gets no variables and no preloaded modules of the application.
        env: {},
        execArgv: [],
        // Otherwise its streams are piped into the process's, whose errors then end the process.
        stdout: true,
        stderr: true,
        // If it runs out of memory, only the thread ends.
        resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 2 },
      });
      worker.on('message', onMessage);
      worker.on('error', (error) => (reason = describe(error)));
      worker.on('exit', (code) => onEnd(reason || `exit code ${code}`));
      // After the listeners: they keep the process alive again.
      worker.unref();
    } catch (thrown) {
      onEnd(describe(thrown));
    }
  };
  start();
  return () => {
    closed = true;
    clearTimeout(timer);
    void worker?.terminate();
  };
}
