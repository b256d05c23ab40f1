import type { Clock } from '../core/time.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import { runJitter } from './limits.js';
import { outsideRequest } from '../core/request/request.js';
import { timersEndWithRequest } from '../core/runtime.js';

/** The environment of the runner. */
interface RunnerHost {
  /** Runs every check, or waits for a heartbeat under way. Never rejects. */
  readonly run: () => Promise<Heartbeat>;
  /** Takes in its results. */
  readonly take: (heartbeat: Heartbeat) => void;
  readonly probeEvery: number;
  readonly clock: Clock;
  readonly onError: (thrown: unknown) => void;
}

/**
 * Runs the checks for the probes: at most once in `probeEvery`, however many probes come, and ahead of time in the background while probes
 * come. Heartbeats that happen anyway count as runs.
 */
export class Runner {
  readonly #host: RunnerHost;
  /** When the next run may begin: after the last one, or a heartbeat that was taken for one. */
  #due = -Infinity;
  #taken: Heartbeat | undefined;
  #running: Promise<void> | undefined;
  /** Cancels the next run. */
  #cancel: (() => void) | undefined;
  /** Whether a probe came since the last run ended. */
  #asked = false;
  #closed = false;

  constructor(host: RunnerHost) {
    this.#host = host;
  }

  /** Makes sure that the results are not older than a run is due, or new if `fresh`; returns the promise to wait for. */
  refresh(fresh = false): Promise<void> | undefined {
    this.#asked = true;
    if (this.#running !== undefined) return this.#running;
    if (!fresh && this.#host.clock.now() < this.#due) return undefined;
    outsideRequest(() => this.#run());
    return this.#running;
  }

  /** Runs the checks once more as soon as they may run, with or without a probe. */
  confirm(): void {
    this.#asked = true;
    if (this.#cancel === undefined && this.#running === undefined) outsideRequest(() => this.#schedule());
  }

  /** A heartbeat has ended that was not run for us: take its results, unless the last are as good. */
  onHeartbeat(heartbeat: Heartbeat): void {
    if (this.#running !== undefined) return;
    if (this.#host.clock.now() < this.#due) return;
    this.#count();
    this.#take(heartbeat);
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  #run(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#count();
    // Not in this turn: who asks may be a check, inside of which none is run.
    this.#running = Promise.resolve()
      .then(() => this.#host.run())
      .then((heartbeat) => {
        this.#running = undefined;
        this.#asked = false;
        this.#take(heartbeat);
        this.#schedule();
      })
      .then(undefined, this.#host.onError);
  }

  /** A run begins. */
  #count(): void {
    const { clock, probeEvery } = this.#host;
    this.#due = clock.now() + probeEvery * (1 + runJitter * clock.random());
  }

  #take(heartbeat: Heartbeat): void {
    // A run that we waited for is reported as well.
    if (heartbeat === this.#taken) return;
    this.#taken = heartbeat;
    this.#host.take(heartbeat);
  }

  #schedule(): void {
    if (this.#closed || timersEndWithRequest || this.#cancel !== undefined) return;
    const { clock } = this.#host;
    this.#cancel = clock.after(Math.max(0, this.#due - clock.now()), () => {
      this.#cancel = undefined;
      // No probes: the dependencies are left in peace.
      if (this.#asked && this.#running === undefined) this.#run();
    });
  }
}
