import { cacheOf } from './cache.js';
import {
  type Check,
  type RegisteredCheck,
  type CheckOptions,
  type CheckOptionsByName,
  aboutOf,
} from './check.js';
import { requireCheckOptions } from './check-rules.js';
import { checkDuplicate, checkNameMissing, checkNotFunction, checkUnknown } from '../options/errors.js';
import { levels, maxNameLength } from './messages.js';
import { OpenRuns } from './open-runs.js';
import { clean } from '../scrub/scrub.js';

/** Defaults of the options of checks. */
interface RegistryDefaults {
  readonly cacheFor: number;
  readonly every?: number | undefined;
  readonly coalesce: boolean;
  readonly checkOptions: CheckOptionsByName;
}

/** The named checks, in the order of their registration. */
export class Registry {
  readonly #checks = new Map<string, RegisteredCheck>();
  readonly #defaults: RegistryDefaults;
  #list: readonly RegisteredCheck[] = [];

  constructor(defaults: RegistryDefaults) {
    this.#defaults = defaults;
  }

  /** All checks; the same array until a check is added. */
  get checks(): readonly RegisteredCheck[] {
    return this.#list;
  }

  /** Registers a check. */
  add(given: unknown, run: unknown, options?: CheckOptions): RegisteredCheck {
    if (!isCheck(run)) throw checkNotFunction(run);
    if (typeof given !== 'string' || given === '') throw checkNameMissing();
    // Names are in every body and log line, as texts are.
    const name = clean(given, maxNameLength);
    if (this.#checks.has(name)) throw checkDuplicate(name);
    const { checkOptions, cacheFor: usual, every: usualEvery, coalesce } = this.#defaults;
    const byName = Object.hasOwn(checkOptions, name) ? checkOptions[name] : undefined;
    const {
      timeout,
      cacheFor = usual,
      every = usualEvery,
      maxLevel,
      ...probed
    } = {
      ...(byName && requireCheckOptions(name, byName)),
      ...(options && requireCheckOptions(name, options)),
    };
    const { scope, ...known } = aboutOf(run);
    const check: RegisteredCheck = {
      ...known,
      name,
      key: JSON.stringify(name),
      run,
      timeout,
      maxLevel: levels[maxLevel ?? 'critical'],
      every,
      cache: every === undefined && cacheFor === 0 ? undefined : cacheOf(every, cacheFor),
      runs: new OpenRuns(coalesce),
      ...probed,
      scope: probed.scope ?? scope,
    };
    this.#checks.set(name, check);
    this.#list = [...this.#checks.values()];
    return check;
  }

  /** Throws if `checkOptions` names a check that is not registered; `says` begins the message. */
  requireKnown(says: string): void {
    const names = [...this.#checks.keys()];
    for (const name of Object.keys(this.#defaults.checkOptions)) {
      if (!names.includes(name)) throw checkUnknown(says, name, names);
    }
  }
}

function isCheck(value: unknown): value is Check {
  return typeof value === 'function';
}
