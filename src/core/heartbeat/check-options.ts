import { type OldThresholds, presentNames } from '../options/deprecated.js';
import type { Duration } from '../options/duration.js';
import type { Filled } from '../options/filled.js';
import { optionUnknown } from '../options/errors.js';
import type { LevelName } from './messages.js';
import {
  interval,
  jsonText,
  levelName,
  duration,
  type Rule,
  runs,
  scope,
  timeout,
} from '../options/rules.js';
import type { Scope } from './scope.js';
import { requireValue } from '../options/read-option.js';
import { isRecord } from '../objects.js';

/** Options of one check, given where it is registered or by name in the option `checkOptions`. */
export interface CheckOptions extends OldThresholds {
  /** How long this check may take; by default the `timeout` of the Health. */
  readonly timeout?: Duration | undefined;
  /**
   * How long a result, also a failure, is reused without a new run; by default the `cacheFor` of the
   * Health. An older result is never served: the check runs first.
   */
  readonly cacheFor?: Duration | undefined;
  /**
   * Runs this check on a schedule, however often it is asked for; by default the `every` of the Health. Heartbeats get its last result, which is
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
export type ReadCheckOptions = Partial<Filled<Omit<CheckOptions, keyof OldThresholds>>>;

const rules: Readonly<Record<keyof ReadCheckOptions, Rule<unknown>>> = {
  timeout,
  cacheFor: duration,
  every: interval,
  maxLevel: levelName,
  scope,
  failureThreshold: runs,
  successThreshold: runs,
  restartAfter: duration,
};
const known = Object.keys(rules);

/** The options of one check that were given; throws if one is wrong or unknown. @internal */
export function requireCheckOptions(check: string, given: CheckOptions): ReadCheckOptions {
  const read: Record<string, unknown> = {};
  const { options } = presentNames(given, 'check', (name) => `${name} of check ${check}`);
  for (const [name, value] of Object.entries(options)) {
    if (!isOption(name)) throw optionUnknown(name, known, `of check ${check}`);
    if (value !== undefined) read[name] = requireValue(value, rules[name], `${name} of check ${check}`);
  }
  return read;
}

/** The option `checkOptions`: an object of objects, as JSON in the environment. @internal */
export const checkOptionsByName: Rule<CheckOptionsByName> = {
  expects: 'an object that maps check names to options',
  accepts: (value): value is CheckOptionsByName => {
    if (!isRecord(value)) return false;
    return Object.entries(value).every(([check, options]) => {
      if (!isRecord(options)) return false;
      requireCheckOptions(check, options);
      return true;
    });
  },
  fromText: jsonText,
};

function isOption(name: string): name is keyof ReadCheckOptions {
  return Object.hasOwn(rules, name);
}
