import type { Worker } from 'node:worker_threads';
import { type LifesignError, watchdogEnded } from '../core/options/errors.js';
import { describe } from '../core/scrub/scrub.js';
import type { ThreadData, ThreadMessage } from './cells.js';

/** How often a thread that ended is started again, and after how many milliseconds: each time later. */
const maxRestarts = 3;
const firstDelay = 1000;

// Kept: a test that holds the time still must not hold back the watchdog.
const { setTimeout, clearTimeout } = globalThis;

/** The thread: started, and restarted a few times if it ends. Its errors do not reach the process. */
export class ThreadHandle {
  readonly #data: ThreadData;
  readonly #onMessage: (message: ThreadMessage) => void;
  readonly #onError: (error: LifesignError) => void;
  #worker: Worker | undefined;
  #restarts = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    data: ThreadData,
    onMessage: (message: ThreadMessage) => void,
    onError: (error: LifesignError) => void,
  ) {
    this.#data = data;
    this.#onMessage = onMessage;
    this.#onError = onError;
    this.#start();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    void this.#worker?.terminate();
  }

  #start(): void {
    let reason = '';
    try {
      const worker = startWorker(this.#data);
      this.#worker = worker;
      worker.on('message', this.#onMessage);
      worker.on('error', (error) => (reason = describe(error)));
      worker.on('exit', (code) => this.#ended(reason || `exit code ${code}`));
      // Listeners take a reference of their own.
      worker.unref();
    } catch (thrown) {
      this.#ended(describe(thrown));
    }
  }

  #ended(reason: string): void {
    if (this.#closed) return;
    this.#worker = undefined;
    if (this.#restarts >= maxRestarts) {
      this.#onError(watchdogEnded(reason, 'It will not be restarted.'));
      return;
    }
    const delay = firstDelay * 5 ** this.#restarts;
    this.#restarts += 1;
    this.#onError(watchdogEnded(reason, `It will be restarted in ${delay / 1000} s.`));
    this.#timer = setTimeout(() => this.#start(), delay);
    this.#timer.unref();
  }
}

function startWorker(data: ThreadData): Worker {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  return new Worker(new URL('./thread.js', import.meta.url), {
    name: 'lifesign-watchdog',
    workerData: data,
    // Preloaded modules of the application and its variables are not for this thread.
    env: {},
    execArgv: [],
    // Else its streams are piped into those of the process, whose errors then end the process.
    stdout: true,
    stderr: true,
    // Its memory is its own: it ends without the process.
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 2 },
  });
}
