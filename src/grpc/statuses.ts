import { groupPath } from '../core/endpoints.js';
import type { HealthCore } from '../core/health.js';
import { outsideRequest } from '../core/request/request.js';

// The values of ServingStatus in grpc.health.v1.
const serving = 1;
const notServing = 2;
export const serviceUnknown = 3;
/** The code of gRPC for a service that a Check does not know. */
export const notFound = 5;

export const unknownService = (service: string): string => `Unknown service ${JSON.stringify(service)}`;

interface Watcher {
  send(status: number): unknown;
  end(): unknown;
}
interface Watched {
  status: number | undefined;
  /** The number of the poll that read the status. */
  poll: number;
  readonly watchers: Set<Watcher>;
}

/** Milliseconds between two polls of a status that is watched. */
const pollEvery = 1000;

/** The statuses of the services of a Health, and the clients that watch them, which share one poll per second. */
export class Statuses {
  readonly #health: HealthCore<never>;
  /** The endpoints over HTTP, by service. */
  readonly #paths = new Map<string, string>();
  readonly #watched = new Map<string, Watched>();
  #polls = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isLeaving = false;
  #isEnding = false;

  constructor(health: HealthCore<never>) {
    this.#health = health;
    const { probes, groups } = health.options;
    for (const name of Object.keys(groups)) this.#paths.set(name, groupPath(name));
    const [liveness, readiness, startup] = [probes?.live[0], probes?.ready[0], probes?.started[0]];
    const services = { '': readiness ?? '/__lbheartbeat__', liveness, readiness, startup };
    for (const [name, path] of Object.entries(services)) if (path !== undefined) this.#paths.set(name, path);
    health.addFeature({
      // Watching clients learn of draining at once.
      onLeave: () => {
        this.#isLeaving = true;
        this.#isEnding = true;
        this.#poll();
      },
      onVerdict: () => this.#poll(),
      close: () => {
        this.#isEnding = true;
        this.#endAll();
      },
    });
  }

  /** The status of a service, from the answer of the same endpoint over HTTP. */
  async read(service: string): Promise<number> {
    const path = this.#paths.get(service);
    const route = path === undefined ? undefined : this.#health.matchAny(path);
    if (path === undefined || route === undefined) return serviceUnknown;
    // A process that leaves must not be restarted for it.
    if (this.#isLeaving && service !== 'liveness') return notServing;
    // oxlint-disable-next-line typescript/consistent-type-assertions -- there is no request over HTTP; `details` of the application is guarded
    const { status } = await this.#health.answer(route, 'GET', path, undefined as never);
    return status < 400 ? serving : notServing;
  }

  /** Sends the status at once and when it changes, until the returned function is called. */
  watch(service: string, watcher: Watcher): () => void {
    const state: Watched = this.#watched.get(service) ?? { status: undefined, poll: 0, watchers: new Set() };
    this.#watched.set(service, state);
    state.watchers.add(watcher);
    const { status } = state;
    if (status !== undefined) this.#guard(() => watcher.send(status));
    outsideRequest(() => {
      this.#timer ??= setInterval(() => this.#tick(), pollEvery).unref();
      if (status === undefined) this.#poll();
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
      this.read(service)
        .then((status) => {
          // A poll that waits for a slow check is overtaken by the one that sees the process leave.
          if (poll < state.poll) return;
          state.poll = poll;
          if (state.status === status) return;
          state.status = status;
          for (const watcher of state.watchers) this.#guard(() => watcher.send(status));
        })
        .catch(this.#onError);
    }
  }

  #endAll(): void {
    const all = [...this.#watched.values()].flatMap(({ watchers }) => [...watchers]);
    // A poll under way sends nothing to a call that has ended.
    for (const { watchers } of this.#watched.values()) watchers.clear();
    this.#watched.clear();
    this.#stop();
    for (const watcher of all) this.#guard(() => watcher.end());
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
      this.#onError(thrown);
    }
  }

  readonly #onError = (thrown: unknown): void =>
    this.#health.logError('The gRPC health service failed', thrown);
}
