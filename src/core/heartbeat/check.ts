import type { CheckMessage, LevelName } from './messages.js';
import type { CheckResult } from './result.js';
import { isRecord } from '../objects.js';
import { optionInvalid, optionUnknown } from '../options/errors.js';
import {
  type Duration,
  duration,
  type Filled,
  interval,
  levelName,
  oneOf,
  requireValue,
  type Rule,
  runs,
  timeout,
} from '../options/rules.js';
import type { LogRecord } from '../log.js';

/** The context that a check receives. */
export interface CheckContext {
  /** Aborted when the check times out: pass it to `fetch` or a client. */
  readonly signal: AbortSignal;
  /** The name the check is registered under. */
  readonly name: string;
}

/** The result of a check: a list of messages, one message, or nothing when all is well. */
export type CheckOutcome = readonly CheckMessage[] | CheckMessage | null | undefined | void;

/**
 * A health check, synchronous or asynchronous.
 *
 * @example const storage: Check = async ({ signal }) => (await ping(signal)) ? [] : [new checks.Error('No storage', { id: 'acme.E001' })];
 */
export type Check = (context: CheckContext) => CheckOutcome | PromiseLike<CheckOutcome>;

/** A method that is a check, for decorators. */
export type CheckMethod<This> = (this: This, context: CheckContext) => ReturnType<Check>;

/** Options of one check, given where it is registered or by name in the option `checkOptions`. */
export interface CheckOptions {
  /** How long this check may take; by default the `timeout` of the Health. */
  readonly timeout?: Duration | undefined;
  /**
   * How long a result, also a failure, is reused without a new run; by default the `cacheFor` of the
   * Health. An older result is never served: the check runs first.
   */
  readonly cacheFor?: Duration | undefined;
  /**
   * Runs this check on a schedule, however often it is requested; by default the `every` of the Health. Heartbeats get its last result, which is
   * never older than twice this time.
   */
  readonly every?: Duration | undefined;
  /**
   * The highest level this check may report, also when it throws or times out: `'info'` for a dependency that must
   * never fail the heartbeat.
   */
  readonly maxLevel?: LevelName | undefined;
  /**
   * Who is affected when this check fails, for the probes: `'instance'` takes this instance out of rotation,
   * `'shared'` never does, `'auto'` finds out if the client allows it. Default: the check's own scope, `'instance'`
   * for your own checks.
   */
  readonly scope?: Scope | undefined;
  /** Consecutive failed runs after which the probes count this check as failed; by default the `failureThreshold` of the probes. */
  readonly failureThreshold?: number | undefined;
  /** Consecutive passed runs after which they count it as passed again; by default the `successThreshold` of the probes. */
  readonly successThreshold?: number | undefined;
  /**
   * After how long a failure of only this instance fails `/livez`, so that the platform restarts it; 0 for
   * never. By default the `restartAfter` of the probes.
   */
  readonly restartAfter?: Duration | undefined;
}

/** Options by the name of the check. */
export type CheckOptionsByName = Readonly<Record<string, CheckOptions>>;

/** The options of one check, with times as milliseconds. */
export type ReadCheckOptions = Partial<Filled<CheckOptions>>;

/** The scope of a failing check: this instance only, or a dependency that all instances share. */
type Trouble = 'instance' | 'shared';

/** The same of a check before it fails; `auto` is found out each time by a second opinion, and is `shared` without one. */
export type Scope = Trouble | 'auto';

/** The outcome of a second opinion. */
export interface Opinion {
  readonly scope: Trouble;
  /** Why, in a short text without secrets: `a fresh connection fails too`. Shown to callers that may see the details. */
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

/** Finds the scope of a failure: queries the same dependency outside of the application's client. */
export interface SecondOpinion {
  /** The dependency, usually the client: at most one opinion of each is taken at a time. */
  readonly dependency: object;
  /** Whether its result is a proof on which a process is restarted by default: a fresh connection is. */
  readonly proves?: boolean;
  /** Loads its code, once, when the probes are turned on: nothing is read from the disk during an outage. */
  readonly prepare?: () => void;
  /** @internal Undoes `prepare`. */
  readonly release?: () => void;
  /** @internal Identifies the dependency: host, port and database, never who logs in; undefined if the client does not show it, or not yet. */
  readonly identity?: () => string | undefined;
  /** @internal Whether a new connection can be made now, within this many milliseconds; undefined if the client cannot make one. Called for peers. */
  readonly reaches?: (within: number) => Promise<boolean | undefined>;
  /** Called when the check has failed. If it throws, the scope counts as `shared`: nothing was found out. */
  ask(context: OpinionContext): Promise<Opinion>;
}

/** The part of its Health that a check may use. */
export interface CheckHost {
  readonly closed: () => boolean;
  /** Calls a function once when the Health is closed. */
  readonly onClose: (close: () => void) => unknown;
  readonly log: (record: LogRecord) => void;
}

/** The facts about a check, given by its factory. */
export interface About {
  readonly scope: Scope;
  readonly secondOpinion?: SecondOpinion | undefined;
  /** @internal Called with each Health that the check is registered with, and again when that is opened again. */
  readonly onRegistered?: ((host: CheckHost) => void) | undefined;
  /** @internal When its certificate expires, in milliseconds since 1970, as it was last read. */
  readonly expiry?: (() => number | undefined) | undefined;
}

/** The member of a check that holds it; the same in all copies of the package. */
const about = Symbol.for('lifesign.check.1');

const own: About = { scope: 'instance' };

/** The facts about a check: a custom one affects its instance by default. */
export function aboutOf(check: object & { readonly [about]?: About }): About {
  return check[about] ?? own;
}

export const withFacts = <C extends object>(check: C, more: Partial<About>): C =>
  Object.defineProperty(check, about, { value: { ...aboutOf(check), ...more }, configurable: true });

/**
 * Finds the scope when a check fails. The option `scope` of the check wins over it.
 *
 * @example return withScope(check, 'auto', { dependency: pool, ask: ({ signal }) => queryAfresh(pool, signal) });
 */
export const withScope = <C extends object>(check: C, scope: Scope, secondOpinion?: SecondOpinion): C =>
  withFacts(check, { scope, secondOpinion });

/** Has a function called with each Health that the check is registered with, and again when that is opened again. */
export function withHost<C extends object>(check: C, onRegistered: (host: CheckHost) => void): C {
  const { onRegistered: before } = aboutOf(check);
  return withFacts(check, {
    onRegistered(host) {
      before?.(host);
      onRegistered(host);
    },
  });
}

const checkRules: Readonly<Record<keyof ReadCheckOptions, Rule<unknown>>> = {
  timeout,
  cacheFor: duration,
  every: interval,
  maxLevel: levelName,
  scope: oneOf('instance', 'shared', 'auto'),
  failureThreshold: runs,
  successThreshold: runs,
  restartAfter: duration,
};

/** The options of one check that were given; throws if one is wrong or unknown. */
export function requireCheckOptions(check: string, given: CheckOptions): ReadCheckOptions {
  const read: Record<string, unknown> = {};
  const known: Readonly<Record<string, Rule<unknown>>> = checkRules;
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) throw optionUnknown(name, Object.keys(known), `of check ${check}`);
    if (value !== undefined) read[name] = requireValue(value, rule, `${name} of check ${check}`);
  }
  return read;
}

/** Whether a value is an object of such objects; throws if one of their options is wrong. */
function areCheckOptions(value: unknown): value is CheckOptionsByName {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(
    ([check, options]) => isRecord(options) && requireCheckOptions(check, options),
  );
}

/** Checks by the name of the group they belong to: each group is served at `/__heartbeat__/` + its name. */
export type GroupsByName = Readonly<Record<string, readonly string[]>>;

/** Characters that browsers, probes and proxies send unchanged. */
const groupName = /^[\w-]{1,64}$/;

const fix = "Write groups: { payments: ['check_database_connected'] }.";

/** Whether a value is the option `groups`; throws if a group is wrong. */
function areGroups(value: unknown): value is GroupsByName {
  if (!isRecord(value)) return false;
  for (const [group, checks] of Object.entries(value)) {
    if (!groupName.test(group)) {
      throw optionInvalid('A group name', group, '1 to 64 letters, digits, "-" and "_"', fix);
    }
    const isList = Array.isArray(checks) && checks.length > 0;
    if (!isList || !checks.every((name) => typeof name === 'string' && name !== '')) {
      throw optionInvalid(`Group ${group}`, checks, 'a non-empty list of check names', fix);
    }
  }
  return true;
}

export const checkOptionsByName: Rule<CheckOptionsByName> = {
  expects: 'an object that maps check names to options',
  accepts: areCheckOptions,
};

export const groupsByName: Rule<GroupsByName> = {
  expects: 'an object that maps group names to lists of check names',
  accepts: areGroups,
};
