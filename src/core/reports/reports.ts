import { Announcements } from './announcements.js';
import type { DetailsGate } from '../details.js';
import type { Answer } from '../endpoints.js';
import type { Feature } from '../feature.js';
import type { Features } from '../features.js';
import type { HealthLog } from '../health-log.js';
import { HeartbeatAnswers } from '../heartbeat/report.js';
import type { RegisteredCheck } from '../heartbeat/check.js';
import { Groups } from '../heartbeat/groups.js';
import { frozen, type Heartbeat, type RunSource, SharedHeartbeats } from '../heartbeat/heartbeat.js';
import type { Registry } from '../heartbeat/registry.js';
import type { Entry } from '../heartbeat/run.js';
import type { Sender, SignalEmitter, VerdictChange } from '../heartbeat/signals.js';
import type { ResolvedOptions } from '../options/options.js';
import { VersionAnswers, VersionSource } from '../version/version.js';
import type { VersionOutcome } from '../version/outcome.js';

export { readVersion } from '../version/version.js';

/** The part of an engine that its reports use. */
export interface ReportsHost<Request> {
  readonly options: ResolvedOptions<never>;
  readonly registry: Registry;
  readonly features: Features<Request>;
  readonly log: HealthLog;
  readonly details: DetailsGate<Request>;
  readonly health: SignalEmitter & Sender;
  /** All checks have run. */
  readonly onOver: () => void;
}

/** The heartbeats and the version of a Health. Created for the first of them. */
export class Reports<Request> {
  readonly #host: ReportsHost<Request>;
  readonly #entry: Entry = { inside: false, asked: false };
  readonly #announcements: Announcements<Request>;
  readonly #heartbeats: SharedHeartbeats;
  readonly #answers: HeartbeatAnswers;
  readonly #version: VersionSource;
  readonly #versionAnswers: VersionAnswers;

  constructor(host: ReportsHost<Request>) {
    const { options, registry, features, log, health, onOver } = host;
    this.#host = host;
    this.#announcements = new Announcements(features, log, health, options.failureLogInterval);
    const over = (heartbeat: Heartbeat, source: RunSource) => {
      onOver();
      return this.#announcements.heartbeat(heartbeat, source);
    };
    this.#heartbeats = new SharedHeartbeats(registry, options, over, this.#entry, features.verdictOf);
    this.#answers = new HeartbeatAnswers(options);
    this.#version = new VersionSource(options);
    this.#versionAnswers = new VersionAnswers((level, msg) => log.say(level, msg));
  }

  /** Runs every check, or waits for a run. Never rejects. */
  heartbeat(): Promise<Heartbeat> {
    return this.#heartbeats.run().then(frozen);
  }

  /** The heartbeat that is under way, or a new one. Never rejects. */
  join(): Promise<Heartbeat> {
    return this.#heartbeats.join();
  }

  /** The heartbeat under way, or a run of every check for the probes. Never rejects. */
  observe(): Promise<Heartbeat> {
    return this.#heartbeats.observe();
  }

  /** Runs these checks, or waits for their runs under way, and announces them. */
  refresh(due: readonly RegisteredCheck[]): Promise<void> {
    return this.#heartbeats.refresh(due, (part) => this.#announcements.group(part));
  }

  /** A verdict of the probes has changed. */
  verdict(change: VerdictChange): void {
    this.#announcements.verdict(change);
  }

  answerHeartbeat(request: Request): Promise<Answer> {
    const { details } = this.#host;
    return this.#heartbeats
      .run()
      .then((heartbeat) => this.#answers.answer(heartbeat, details.opensTo(request)));
  }

  answerVersion(): Promise<Answer> {
    return this.version().then((outcome) => this.#versionAnswers.answer(outcome));
  }

  version(): Promise<VersionOutcome> {
    return this.#version.read();
  }

  /** Replaces the reading of `version.json`. */
  replaceVersion(callback: unknown): void {
    this.#version.replace(callback);
  }

  /** The groups of the options. */
  groups(): Feature<Request> {
    const { options, registry, features, details } = this.#host;
    return new Groups({
      options,
      entry: this.#entry,
      registry,
      showsDetails: (request) => details.opensTo(request),
      verdictOf: features.verdictOf,
      announce: (heartbeat) => this.#announcements.group(heartbeat),
    });
  }
}
