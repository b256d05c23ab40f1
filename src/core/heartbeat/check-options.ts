import { optionInvalid, optionUnknown } from '../options/errors.js';
import type { LevelName } from './messages.js';
import { jsonText, levelName, duration, type Rule, runs, scope, timeout } from '../options/rules.js';
import type { Scope } from './scope.js';

/** Options of one check, given where it is registered or by name in the option `checkOptions`. */
export interface CheckOptions {
  /** Milliseconds this check may take; by default the `timeout` of the Health. */
  readonly timeout?: number | undefined;
  /**
   * Milliseconds a result may be served again without a new run, failures too; by default the `cacheFor` of the
   * Health. An older result is never served: the check is run, and what it then says is the answer.
   */
  readonly cacheFor?: number | undefined;
  /**
   * The worst this check may do to the heartbeat, whatever it says, throws or leaves unanswered:
   * `'info'` for a dependency that must never take the service down.
   */
  readonly maxLevel?: LevelName | undefined;
  /**
   * Whose trouble it is when this check fails, for the probes: `'instance'` takes this instance out of rotation, `'shared'` never
   * does, `'auto'` has it found out where the client allows. Default: what the check says of itself, `'instance'` for your own.
   */
  readonly scope?: Scope | undefined;
  /** Consecutive failed runs until the probes count this check as failed; by default the `failAfter` of the probes. */
  readonly failAfter?: number | undefined;
  /** Consecutive good runs until they count it as passed again; by default the `passAfter` of the probes. */
  readonly passAfter?: number | undefined;
  /**
   * Milliseconds after which a failure of this instance's own fails `/livez`, so that the platform restarts it; 0 for
   * never. By default the `restartAfter` of the probes.
   */
  readonly restartAfter?: number | undefined;
}

/** Options by the name of the check. */
export type CheckOptionsByName = Readonly<Record<string, CheckOptions>>;

const rules: Readonly<Record<keyof CheckOptions, Rule<unknown>>> = {
  timeout,
  cacheFor: duration,
  maxLevel: levelName,
  scope,
  failAfter: runs,
  passAfter: runs,
  restartAfter: duration,
};
const known = Object.keys(rules);
const fix = 'Fix it or omit it.';

/** The options of one check as they were given; throws where one is wrong or unknown. */
export function requireCheckOptions(check: string, given: CheckOptions): CheckOptions {
  for (const [name, value] of Object.entries(given)) {
    if (!isOption(name)) throw optionUnknown(name, known, `of check ${check}`);
    if (value !== undefined && !rules[name].accepts(value)) {
      throw optionInvalid(`Option ${name} of check ${check}`, value, rules[name].expects, fix);
    }
  }
  return given;
}

/** The option `checkOptions`: an object of objects, as JSON in the environment. */
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

function isOption(name: string): name is keyof CheckOptions {
  return Object.hasOwn(rules, name);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
