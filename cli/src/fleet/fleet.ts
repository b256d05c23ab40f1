import type { Status } from '../../../src/tools.js';

/**
 * How an instance is: `failing` as its heartbeat says, `down` when Prometheus cannot scrape it, `gone` when it is not scraped
 * any more, `unknown` before its first heartbeat.
 */
export type State = 'down' | 'failing' | 'unknown' | 'draining' | 'gone' | 'ok';

/** The states, the sick first. */
export const states: readonly State[] = ['down', 'failing', 'unknown', 'draining', 'gone', 'ok'];

/** Which build an instance runs, as its `version.json` says. */
export interface Build {
  readonly version: string | undefined;
  readonly commit: string | undefined;
}

/** A build of a service, and how many of its instances run it. */
export interface RunningBuild extends Build {
  readonly instances: number;
  /** When the oldest of these instances started, in milliseconds since 1970. */
  readonly since: number | undefined;
}

/** A check that has something to say. */
export interface Finding {
  readonly check: string;
  readonly status: Status;
  /** The worst first. */
  readonly ids: readonly string[];
  /** When it last passed; undefined when it never did. */
  readonly passed: number | undefined;
}

/** One process of a service. */
export interface Instance {
  readonly name: string;
  readonly state: State;
  /** The word of its last heartbeat. */
  readonly status: Status | undefined;
  readonly draining: boolean;
  readonly build: Build | undefined;
  /** When its process started. */
  readonly since: number | undefined;
  /** When Prometheus last had something of it. */
  readonly seen: number | undefined;
  /** The gravest first. */
  readonly findings: readonly Finding[];
}

export type Counts = Readonly<Record<State, number>>;

/** All instances with one value of the label that groups them. */
export interface Service {
  readonly name: string;
  readonly counts: Counts;
  /** The newest first. */
  readonly builds: readonly RunningBuild[];
  /** How many instances run the newest build already, if there are several builds; undefined otherwise. */
  readonly rollout: { readonly done: number; readonly total: number } | undefined;
  /** The sick first. */
  readonly instances: readonly Instance[];
}

/** One view of everything, at one moment. */
export interface Fleet {
  /** By the clock of Prometheus, in milliseconds since 1970. */
  readonly at: number;
  readonly counts: Counts;
  readonly warnings: readonly string[];
  /** The sick first. */
  readonly services: readonly Service[];
}

/** Whether the fleet is healthy: there are instances, and all answer and pass. */
export function isHealthy({ counts, services }: Fleet): boolean {
  return services.length > 0 && counts.down === 0 && counts.failing === 0;
}

export function countsOf(all: readonly Instance[]): Counts {
  const counts = { down: 0, failing: 0, unknown: 0, draining: 0, gone: 0, ok: 0 };
  for (const { state } of all) counts[state] += 1;
  return counts;
}
