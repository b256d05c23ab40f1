import { groupPath } from '../core/endpoints.js';
import type { HealthCore } from '../core/health.js';
import { isPromise } from '../core/objects.js';
import { outsideRequest } from '../core/request/request.js';

// The values of ServingStatus in grpc.health.v1.
const serving = 1;
const notServing = 2;
export const serviceUnknown = 3;
/** The code of gRPC for a service that a Check does not know. */
export const notFound = 5;

export const unknownService = (service: string): string => `Unknown service ${JSON.stringify(service)}`;

/** Derives the status of a service from the response of the same endpoint over HTTP. */
export function statusesOf(health: HealthCore<never>): (service: string) => Promise<number> {
  const { probes, groups } = health.options;
  const paths = new Map(Object.keys(groups).map((name) => [name, groupPath(name)]));
  paths.set('', probes?.ready[0] ?? '/__lbheartbeat__');
  const [liveness, readiness, startup] = [probes?.live[0], probes?.ready[0], probes?.started[0]];
  for (const [name, path] of Object.entries({ liveness, readiness, startup }))
    if (path !== undefined) paths.set(name, path);
  let leaving = false;
  health.addFeature({ onLeave: () => (leaving = true) });
  return async (service) => {
    const path = paths.get(service);
    const route = path === undefined ? undefined : health.matchAny(path);
    if (path === undefined || route === undefined) return serviceUnknown;
    // A process that leaves must not be restarted for it.
    if (leaving && service !== 'liveness') return notServing;
    // oxlint-disable-next-line typescript/consistent-type-assertions -- there is no request over HTTP; `details` of the application is guarded
    const answer = health.answer(route, 'GET', path, undefined as never);
    const { status } = isPromise(answer) ? await answer : answer;
    return status < 400 ? serving : notServing;
  };
}

/** A client that watches a service. */
export interface Watcher {
  send(status: number): unknown;
  end(): unknown;
}
interface Watched {
  status: number | undefined;
  /** The number of the poll that found the status. */
  poll: number;
  readonly watchers: Set<Watcher>;
}

/** Milliseconds between two polls of a status that is watched. */
const pollEvery = 1000;

/** All watching clients, which share one poll per second. */
export class Watchers {
  readonly #health: HealthCore<never>;
  readonly #statusOf: (service: string) => Promise<number>;
  readonly #watched = new Map<string, Watched>();
  #polls = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isEnding = false;

  constructor(health: HealthCore<never>, statusOf: (service: string) => Promise<number>) {
    this.#health = health;
    this.#statusOf = statusOf;
    // Watching clients learn of draining at once.
    const onLeave = () => {
      this.#isEnding = true;
      this.#poll();
    };
    const close = () => {
      this.#isEnding = true;
      this.#endAll();
    };
    health.addFeature({ onLeave, onVerdict: () => this.#poll(), close });
  }

  /** Sends the status at once and when it changes, until the returned function is called. */
  add(service: string, watcher: Watcher): () => void {
    const state: Watched = this.#watched.get(service) ?? { status: undefined, poll: 0, watchers: new Set() };
    this.#watched.set(service, state);
    state.watchers.add(watcher);
    if (state.status !== undefined) this.#guard(() => watcher.send(state.status ?? 0));
    outsideRequest(() => {
      this.#timer ??= setInterval(() => this.#tick(), pollEvery).unref();
      if (state.status === undefined) this.#poll();
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
    else this.#poll();
  }

  #poll(): void {
    this.#polls += 1;
    const poll = this.#polls;
    for (const [service, state] of this.#watched) {
      this.#statusOf(service)
        .then((status) => {
          // A poll that waits for a slow check is overtaken by the one that sees the process leave.
          if (poll < state.poll) return;
          state.poll = poll;
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
    this.#health.logError('The gRPC health service failed', thrown);
}
