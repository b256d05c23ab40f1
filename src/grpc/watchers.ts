import type { Engine } from '../core/engine.js';
import { outsideRequest } from '../core/request/request.js';

/** A client that watches a service. */
export interface Watcher {
  send(status: number): unknown;
  end(): unknown;
}
interface Watched {
  status: number | undefined;
  /** The number of the look that found the status. */
  look: number;
  readonly watchers: Set<Watcher>;
}

/** Milliseconds between two looks at a status that is watched. */
const lookEvery = 1000;

/** All watching clients, which share one look per second. */
export class Watchers {
  readonly #engine: Engine<never>;
  readonly #statusOf: (service: string) => Promise<number>;
  readonly #watched = new Map<string, Watched>();
  #looks = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isEnding = false;

  constructor(engine: Engine<never>, statusOf: (service: string) => Promise<number>) {
    this.#engine = engine;
    this.#statusOf = statusOf;
    // Watching clients learn of draining at once.
    const onLeave = () => {
      this.#isEnding = true;
      this.#look();
    };
    const close = () => {
      this.#isEnding = true;
      this.#endAll();
    };
    engine.addFeature({ onLeave, onVerdict: () => this.#look(), close });
  }

  /** Sends the status at once and when it changes, until the returned function is called. */
  add(service: string, watcher: Watcher): () => void {
    const state: Watched = this.#watched.get(service) ?? { status: undefined, look: 0, watchers: new Set() };
    this.#watched.set(service, state);
    state.watchers.add(watcher);
    if (state.status !== undefined) this.#guard(() => watcher.send(state.status ?? 0));
    outsideRequest(() => {
      this.#timer ??= setInterval(() => this.#tick(), lookEvery).unref();
      if (state.status === undefined) this.#look();
    });
    return () => {
      state.watchers.delete(watcher);
      // A call ends more than once, and others may watch the service by then.
      if (state.watchers.size === 0 && this.#watched.get(service) === state) this.#watched.delete(service);
      if (this.#watched.size === 0) this.#stop();
    };
  }

  /** A server that shuts down waits for open calls. They end a second later than the status is sent, because clients call again at once. */
  #tick(): void {
    if (this.#isEnding) this.#endAll();
    else this.#look();
  }

  #look(): void {
    this.#looks += 1;
    const look = this.#looks;
    for (const [service, state] of this.#watched) {
      this.#statusOf(service)
        .then((status) => {
          // A look that waits for a slow check is overtaken by the one that sees the process leave.
          if (look < state.look) return;
          state.look = look;
          if (state.status === status) return;
          state.status = status;
          for (const watcher of state.watchers) this.#guard(() => watcher.send(status));
        })
        .catch(this.#failed);
    }
  }

  #endAll(): void {
    const all = [...this.#watched.values()];
    this.#watched.clear();
    this.#stop();
    for (const { watchers } of all) {
      const ended = [...watchers];
      watchers.clear();
      for (const watcher of ended) this.#guard(() => watcher.end());
    }
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** The calls are not ours: one that throws must not end the process, nor keep the status from the others. */
  #guard(act: () => unknown): void {
    try {
      act();
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  readonly #failed = (thrown: unknown): void =>
    this.#engine.logError('The gRPC health service failed', thrown);
}
