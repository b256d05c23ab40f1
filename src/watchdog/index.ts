import { endpointPaths, prefixed } from '../core/endpoints.js';
import type { HealthCore } from '../core/health.js';
import { SharedRequests } from '../probes/requests.js';
import {
  LifesignError,
  watchdogPortTaken,
  watchdogTwice,
  watchdogUnsupported,
} from '../core/options/errors.js';
import { listenOptions } from '../core/options/variables.js';
import { silent } from '../core/log.js';
import { loop, type LoopBlock } from '../core/loop.js';
import { levels, type MessageLevel } from '../core/heartbeat/messages.js';
import { currentRequest, outsideRequest } from '../core/request/request.js';
import { emitSignal, type VerdictChange } from '../core/heartbeat/signals.js';
import { attempt, host, hostName, shared } from '../core/runtime.js';
import { describe } from '../core/scrub/scrub.js';
import type { ResolvedWatchdog } from '../core/options/features.js';
import { defaultLook, type Look, lookOfLogger } from '../logging/stdout.js';
import { cellCount, cells, clock, stepOf, type ThreadMessage } from './cells.js';
import { LastWords } from './last-words.js';
import { Collections, type Inspectors, requestUnderWay, watchInspectors } from './main-thread.js';
import { blockedRecord, freedRecord, stuckRecord } from './records.js';
import { ThreadHandle } from './thread-handle.js';

// Kept: a test that holds the time still must not stop the beat.
const { setInterval, clearInterval } = globalThis;

/** The function of the main thread that the thread calls by this name, through the inspector, while the main thread is paused. */
const watched: { state?: (() => unknown) | undefined } = /* @__PURE__ */ shared('watchdog', () => ({}));

/** Starts the watchdog if the options ask for it: at once, so that a block of the very first turn is seen too. */
export function startWatchdog(health: HealthCore<never>): void {
  const { watchdog } = health.options;
  if (watchdog === undefined) return;
  if (host.getBuiltinModule?.('node:worker_threads') === undefined) throw watchdogUnsupported();
  try {
    watchLoop(health, watchdog);
  } catch (error) {
    const msg = `The watchdog is not running: ${describe(error)}`;
    const fields = { ...(error instanceof LifesignError && { code: error.code }) };
    health.log({ logger: 'health', level: levels.error, time: Date.now(), fields, msg, error });
  }
}

/**
 * Starts a thread beside the event loop, which answers `/__lbheartbeat__` on its own port while the loop is blocked, and logs the code that blocked it.
 */
function watchLoop(health: HealthCore<never>, options: ResolvedWatchdog): void {
  if (watched.state !== undefined) throw watchdogTwice();
  let watch: Watch | undefined = new Watch(health, options);
  health.addFeature({
    onLeave: (refusing) => watch?.leave(refusing),
    onVerdict: (change) => watch?.wedge(change),
    close() {
      watch?.close();
      watch = undefined;
    },
  });
}

/** The watchdog's half in the main thread: it beats, and reports the blocks that the thread saw. */
class Watch {
  readonly #health: HealthCore<never>;
  readonly #options: ResolvedWatchdog;
  readonly #cells = new Int32Array(new SharedArrayBuffer(4 * cellCount));
  readonly #inspectors: Inspectors;
  readonly #collections: Collections;
  readonly #requests = new SharedRequests();
  readonly #lastWords: LastWords;
  readonly #thread: ThreadHandle;
  readonly #host = listenOptions().host;
  readonly #inMainThread = host.getBuiltinModule?.('node:worker_threads').isMainThread !== false;
  #beat: NodeJS.Timeout | undefined;
  readonly #look: Look;
  /** Whether the stack of the reported block is already in a line. */
  #written = false;

  constructor(health: HealthCore<never>, options: ResolvedWatchdog) {
    this.#health = health;
    this.#options = options;
    this.#look = lookOfLogger(health.options.logger) ?? defaultLook();
    this.#collections = new Collections(options.busyAfter);
    this.#inspectors = watchInspectors(() => this.#note());
    this.#lastWords = new LastWords(this.#terminationLog, this.#inMainThread, (record) => health.log(record));
    watched.state = () => this.#state();
    this.#note();
    host.once?.('exit', this.#onExit);
    const beat = () => {
      this.#beat = setInterval(() => this.#onBeat(), stepOf(options.busyAfter));
      this.#beat.unref();
    };
    // Only inside of a request: leaving one turns the tracking of contexts on, which every promise pays for.
    if (currentRequest() === undefined) beat();
    else outsideRequest(beat);
    this.#thread = new ThreadHandle(
      this.#threadData(),
      (message) => this.#onMessage(message),
      (error) => this.#log(40, error.message, { code: error.code }),
    );
  }

  /** The state that load balancers get. */
  leave(refusing: boolean): void {
    this.#set('refusing', refusing);
  }

  /** Says why `/livez` fails for a check of this instance, if it does. */
  wedge({ live, checks }: VerdictChange): void {
    const own = checks.filter(({ scope }) => scope === 'instance');
    const why = own.map(({ name, evidence }) => `${name}: ${evidence}`).join('; ');
    this.#set('wedged', live === 'fail');
    this.#lastWords.wedge(live === 'fail' ? `livez fails: ${why}` : undefined);
  }

  close(): void {
    clearInterval(this.#beat);
    this.#thread.close();
    this.#inspectors.release();
    this.#collections.release();
    this.#requests.release();
    this.#lastWords.release();
    host.removeListener?.('exit', this.#onExit);
    watched.state = undefined;
  }

  readonly #onExit = (code: number) => {
    this.#set('ending', true);
    this.#lastWords.end(code);
  };

  get #terminationLog(): string | undefined {
    return this.#options.terminationLog || undefined;
  }

  #threadData() {
    const { logger, loggerName, prefix, probes } = this.#health.options;
    return {
      ...this.#options,
      cells: this.#cells,
      requests: this.#requests.memory,
      terminationLog: this.#terminationLog,
      inMainThread: this.#inMainThread,
      live: prefixed(prefix, probes?.live ?? []),
      up: prefixed(prefix, [endpointPaths.lbheartbeat]),
      host: this.#host,
      loggerName,
      hostname: hostName(),
      pid: process.pid,
      look: logger === silent ? undefined : this.#look,
    };
  }

  #set(cell: keyof typeof cells, value: boolean): void {
    Atomics.store(this.#cells, cells[cell], value ? 1 : 0);
  }

  #onBeat(): void {
    Atomics.store(this.#cells, cells.beat, clock());
    this.#note();
    this.#collections.note();
    this.#requests.sweep();
    if (Atomics.exchange(this.#cells, cells.probed, 0) === 1) for (const probed of loop.probed) probed();
  }

  /** Notes the facts that the thread needs before it attaches or writes. */
  #note(): void {
    this.#set('inspector', this.#inspectors.any());
    this.#set('midLine', attempt(() => process[this.#look.to].writableLength > 0) === true);
  }

  #state(): unknown {
    this.#note();
    return { ...requestUnderWay(), inspected: this.#inspectors.any() };
  }

  #onMessage(message: ThreadMessage): void {
    const address = `${this.#host}:${this.#options.port}`;
    switch (message.kind) {
      case 'listening':
        return this.#log(20, `The watchdog is listening on ${this.#host}:${message.port}`);
      case 'refused': {
        const inCluster = isClusterWorker();
        const error = watchdogPortTaken(address, message.reason, inCluster);
        // One worker has the port, as it must be with one port for all.
        return this.#log(inCluster ? 20 : 40, error.message, { code: error.code });
      }
      case 'blocked':
        return this.#onBlocked(message.block, message.written);
      case 'stuck':
        this.#lastWords.stuck();
        if (!message.written) this.#health.log(stuckRecord(message.block, Date.now()));
        return;
      case 'freed':
        this.#lastWords.freed();
        return this.#onFreed(message.block);
    }
  }

  #onBlocked(block: LoopBlock, written: boolean): void {
    this.#written = written && lookOfLogger(this.#health.options.logger) !== undefined;
    // The thread could not: half a line was in standard output.
    if (!written) this.#health.log(blockedRecord(block, Date.now()));
    this.#emit('loopBlocked', block);
  }

  #onFreed(block: LoopBlock): void {
    const known = loop.last?.stack;
    const whole = { ...block, culprit: block.culprit ?? this.#collected(block) };
    const withStack = !this.#written || known !== whole.stack;
    this.#health.log(freedRecord(whole, Date.now(), withStack));
    this.#emit('loopFreed', whole);
  }

  #emit(name: 'loopBlocked' | 'loopFreed', block: LoopBlock): void {
    const health = this.#health;
    loop.last = block;
    if (name === 'loopBlocked') loop.blocks += 1;
    else loop.blockedFor += block.blockedFor;
    emitSignal(
      health,
      name,
      () => ({ ...block, health }),
      (record) => health.log(record),
    );
  }

  /** Names garbage collection if it took most of the block. */
  #collected({ since, blockedFor }: LoopBlock): string | undefined {
    // At most a second before its length: the clock of the day may have been set.
    const ago = Math.min(Date.now() - since, blockedFor + 1000);
    const collected = this.#collections.since(performance.now() - ago);
    return collected * 2 > blockedFor ? `garbage collection (${collected} ms)` : undefined;
  }

  #log(level: MessageLevel, msg: string, fields: Record<string, string> = {}): void {
    this.#health.log({ logger: 'health', level, time: Date.now(), fields, msg });
  }
}

function isClusterWorker(): boolean {
  return Reflect.get(Object(host.getBuiltinModule?.('node:cluster')), 'isWorker') === true;
}
