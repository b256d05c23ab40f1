import { ResultCache } from './cache.js';
import type { CheckOptions, CheckOptionsByName } from './check-options.js';
import { requireCheckOptions } from './check-options.js';
import { checkDuplicate, checkNameMissing, checkNotFunction } from '../options/errors.js';
import { type CheckMessage, type Level, levels, longestName } from './messages.js';
import type { Run } from './run-check.js';
import { Runs } from './runs.js';
import { clean } from '../scrub/scrub.js';

export type { CheckOptions };

/** What a check is given. */
export interface CheckContext {
  /** Aborted when the check's time is up: hand it to `fetch` or a client. */
  readonly signal: AbortSignal;
  /** The name the check is registered under. */
  readonly name: string;
  /** @internal When its time is up, on the clock of `performance.now()`. */
  readonly due?: number;
}

/** What a check may return: a list of messages, one message, or nothing when all is well. */
export type CheckOutcome = readonly CheckMessage[] | CheckMessage | null | undefined | void;

/**
 * A health check, synchronous or asynchronous.
 *
 * @example const storage: Check = async ({ signal }) => (await ping(signal)) ? [] : [new checks.Error('No storage', { id: 'acme.E001' })];
 */
export type Check = (context: CheckContext) => CheckOutcome | PromiseLike<CheckOutcome>;

/** A check in the registry, with what is known of its runs. */
export interface RegisteredCheck {
  readonly name: string;
  /** The name as it stands in JSON, made once. */
  readonly key: string;
  readonly run: Check;
  readonly timeout: number | undefined;
  /** The worst it may be. */
  readonly maxLevel: Level;
  /** The last result, where it may be served again. */
  readonly cache: ResultCache | undefined;
  /** Its runs that have not settled. */
  readonly runs: Runs<Run>;
}

/** What holds for a check that does not say otherwise. */
interface RegistryDefaults {
  readonly cacheFor: number;
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

  add(given: unknown, run: unknown, options: CheckOptions = {}): void {
    if (!isCheck(run)) throw checkNotFunction(run);
    if (typeof given !== 'string' || given === '') throw checkNameMissing();
    // Names are in every body and log line, as texts are.
    const name = clean(given, longestName);
    if (this.#checks.has(name)) throw checkDuplicate(name);
    const { checkOptions, cacheFor: usual } = this.#defaults;
    const byName = Object.hasOwn(checkOptions, name) ? checkOptions[name] : undefined;
    const { timeout, cacheFor = usual, maxLevel } = { ...byName, ...requireCheckOptions(name, options) };
    this.#checks.set(name, {
      name,
      key: JSON.stringify(name),
      run,
      timeout,
      maxLevel: levels[maxLevel ?? 'critical'],
      cache: cacheFor === 0 ? undefined : new ResultCache(cacheFor),
      runs: new Runs(),
    });
    this.#list = [...this.#checks.values()];
  }
}

function isCheck(value: unknown): value is Check {
  return typeof value === 'function';
}
