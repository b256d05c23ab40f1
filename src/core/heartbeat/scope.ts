import { shared } from '../shared.js';
import type { CheckResult } from './result.js';

/** The scope of a failing check: this instance only, or a dependency that all instances share. */
type Trouble = 'instance' | 'shared';

/** The same of a check before it fails; `auto` is found out each time by a second opinion, and is `shared` without one. */
export type Scope = Trouble | 'auto';

/** The outcome of a second opinion. */
export interface Opinion {
  readonly scope: Trouble;
  /** Why, in a few words without secrets: `a fresh connection fails too`. Shown to callers that may see the details. */
  readonly evidence: string;
  /** @internal Whether the dependency could not be reached from here, so that peers may know more, and a restart does not help. */
  readonly unreached?: boolean;
}

/** The argument of a second opinion. */
export interface OpinionContext {
  /** Aborted when the time of the opinion is up: its result is dropped, and it must release its resources. */
  readonly signal: AbortSignal;
  /** The message of the check over the application's own client; `health.E012` and `health.E013` if it gave no answer. */
  readonly result: CheckResult;
  /** @internal When the failure began, on the clock of the probes. */
  readonly since?: number;
  /** @internal Whether an HTTP request that began before a time may still run, and hold a connection. */
  readonly mayRun?: (before: number) => boolean;
}

/** Finds the scope of a failure: asks the same dependency outside of the application's client. */
export interface SecondOpinion {
  /** The dependency, usually the client: at most one opinion of each is taken at a time. */
  readonly dependency: object;
  /** Whether its word is a proof on which a process is restarted by default: that of a fresh connection is. */
  readonly proves?: boolean;
  /** Loads its code, once, when the probes are turned on: nothing is read from the disk during an outage. */
  readonly prepare?: () => void;
  /** @internal Undoes `prepare`. */
  readonly release?: () => void;
  /** @internal Identifies the dependency: host, port and database, never who logs in; undefined if the client does not show it, or not yet. */
  readonly identity?: () => string | undefined;
  /** @internal Whether a new connection can be made now, within this many milliseconds; undefined if the client cannot make one. Asked by peers. */
  readonly reaches?: (within: number) => Promise<boolean | undefined>;
  /** Called when the check has failed. If it throws, the scope counts as `shared`: nothing was found out. */
  ask(context: OpinionContext): Promise<Opinion>;
}

/** The declared scope of a check. */
export interface Scoped {
  readonly scope: Scope;
  readonly secondOpinion?: SecondOpinion | undefined;
}

/** By the function that is registered; not a property of it, which a user may freeze or copy. */
const scopes: WeakMap<object, Scoped> = /* @__PURE__ */ shared('scopes', () => new WeakMap());

const own: Scoped = { scope: 'instance' };

/**
 * Finds the scope when a check fails. The option `scope` of the check wins over it.
 *
 * @example return withScope(check, 'auto', { dependency: pool, ask: ({ signal }) => queryAfresh(pool, signal) });
 */
export function withScope<C extends object>(check: C, scope: Scope, secondOpinion?: SecondOpinion): C {
  scopes.set(check, { scope, secondOpinion });
  return check;
}

/** The scope of a check: a custom one affects its instance by default. */
export function scopeOf(check: object): Scoped {
  return scopes.get(check) ?? own;
}
