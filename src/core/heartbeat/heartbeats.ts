import { type Heartbeat, runHeartbeat, type RunSource } from './heartbeat.js';
import { Error as ErrorMessage } from './messages.js';
import type { ResolvedOptions } from '../options/options.js';
import type { Registry } from './registry.js';
import { type Entry, reentryText, resultNotRun, type RunSettings } from './run-check.js';
import { timersEndWithRequest } from '../runtime.js';
import { messageIds } from './message-ids.js';

/** A flood of heartbeats must not pile up without end: beyond this many at once they share the latest. */
const mostAtOnce = 100;

/** Tells of a heartbeat that is over; whether a listener of the user was called. */
type Announce = (heartbeat: Heartbeat, source: RunSource) => boolean;

/** The heartbeats of one Health: which are under way, which are shared, and none inside another. */
export class Heartbeats {
  readonly #registry: Pick<Registry, 'checks'>;
  readonly #settings: RunSettings;
  readonly #most: number;
  readonly #announceTo: Announce;
  readonly #entry: Entry;
  #underway = 0;
  #latest: Promise<Heartbeat> | undefined;
  /** The current run that is not a heartbeat. */
  #observed: Promise<Heartbeat> | undefined;
  /** Whether listeners were called in this turn of the event loop. */
  #announced = false;

  constructor(
    registry: Pick<Registry, 'checks'>,
    options: Pick<ResolvedOptions, 'coalesce' | 'heartbeatTimeout' | 'silencedChecks' | 'timeout'>,
    announce: Announce,
    /** Shared by all heartbeats of a Health. */
    entry: Entry,
  ) {
    this.#registry = registry;
    this.#entry = entry;
    this.#settings = {
      timeout: options.timeout,
      heartbeatTimeout: options.heartbeatTimeout ?? Infinity,
      silenced: new Set(options.silencedChecks),
      entry: this.#entry,
    };
    this.#most = options.coalesce ? 1 : mostAtOnce;
    this.#announceTo = announce;
  }

  /** The heartbeat under way, or a run of every check for the probes. Never rejects. */
  observe(): Promise<Heartbeat> {
    if (this.#latest !== undefined) return this.#latest;
    this.#observed ??= runHeartbeat(this.#registry.checks, this.#settings).then((heartbeat) => {
      this.#observed = undefined;
      this.#tell(heartbeat, 'probe');
      return heartbeat;
    });
    return this.#observed;
  }

  /** The current heartbeat, or a new one: for callers that need nothing newer. */
  join(): Promise<Heartbeat> {
    return this.#latest ?? this.run();
  }

  /** Runs every check, or waits for a heartbeat that does. Never rejects. */
  run(): Promise<Heartbeat> {
    if (this.#entry.inside) {
      this.#entry.asked = true;
      return Promise.resolve(this.#refused());
    }
    if (this.#latest !== undefined && this.#underway >= this.#most) return this.#latest;
    // A listener that asks for the next heartbeat must not keep the event loop for itself.
    if (this.#announced) return new Promise<void>((resolve) => nextTurn(resolve)).then(() => this.run());
    this.#underway += 1;
    // Promises by hand: an async function each would cost a probe more than its checks.
    this.#latest = runHeartbeat(this.#registry.checks, this.#settings).then(this.#over);
    return this.#latest;
  }

  readonly #over = (heartbeat: Heartbeat): Heartbeat => {
    this.#underway -= 1;
    if (this.#underway === 0) this.#latest = undefined;
    this.#tell(heartbeat, 'heartbeat');
    return heartbeat;
  };

  #tell(heartbeat: Heartbeat, source: RunSource): void {
    if (!this.#announce(heartbeat, source) || timersEndWithRequest) return;
    this.#announced = true;
    nextTurn(() => {
      this.#announced = false;
    });
  }

  /** Whether listeners were called. What they, the log or the page do with a heartbeat, its answer stands. */
  #announce(heartbeat: Heartbeat, source: RunSource): boolean {
    const outside = this.#entry.inside;
    this.#entry.inside = true;
    try {
      return this.#announceTo(heartbeat, source);
    } catch {
      return true;
    } finally {
      this.#entry.inside = outside;
      this.#entry.asked = false;
    }
  }

  /** What a check or a listener gets that asks for a heartbeat while it is part of one. */
  #refused(): Heartbeat {
    const why = new ErrorMessage(reentryText, { id: messageIds.reentered });
    const results = this.#registry.checks.map((check) => resultNotRun(check, this.#settings, why));
    return { level: why.level, status: 'error', results };
  }
}

const nextTurn: (then: () => void) => unknown = globalThis.setImmediate ?? globalThis.setTimeout;
