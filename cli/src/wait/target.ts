import type { Condition, Finding } from './conditions.js';

/** Builds that are counted separately; a hostile service could name another one in each response. */
const maxBuilds = 20;

/** One service, or one address of it, and its responses so far. */
export class Target {
  readonly name: string;
  readonly #conditions: readonly Condition[];
  /** The unmet part of each condition, by its last response; a condition without a response is not here. */
  readonly #missing = new Map<Condition, string | undefined>();
  /** Every build that answered, with how often it did. */
  readonly builds = new Map<string, number>();
  answers = 0;
  #next = 0;
  #goodSince: number | undefined;
  /** Conditions that were met since the last answer that was not the one waited for. */
  readonly #met = new Set<Condition>();
  #lastFailure: string | undefined;

  constructor(name: string, conditions: readonly Condition[]) {
    this.name = name;
    this.#conditions = conditions;
  }

  /** The next condition to request, in turn. */
  next(): Condition | undefined {
    const condition = this.#conditions[this.#next % this.#conditions.length];
    this.#next += 1;
    return condition;
  }

  /** Takes an answer that came at `now`. */
  take(condition: Condition, { build, missing }: Finding, now: number): void {
    this.answers += 1;
    this.#missing.set(condition, missing);
    if (build !== undefined) this.#count(build);
    if (missing === undefined) {
      this.#goodSince ??= now;
      this.#met.add(condition);
      return;
    }
    this.#goodSince = undefined;
    this.#met.clear();
    this.#lastFailure = missing;
  }

  #count(build: string): void {
    const known = this.builds.get(build);
    if (known !== undefined || this.builds.size < maxBuilds) this.builds.set(build, (known ?? 0) + 1);
  }

  /** For how long every answer was the one waited for; undefined while a condition has still to be met. */
  goodFor(now: number): number | undefined {
    if (this.#goodSince === undefined || this.#met.size < this.#conditions.length) return undefined;
    return now - this.#goodSince;
  }

  /** The unmet conditions: by the last responses, or, while good ones have not lasted, by the last bad one. */
  missing(): readonly string[] {
    const current = [...new Set(this.#missing.values())].filter((text) => text !== undefined);
    if (current.length > 0) return current;
    if (this.answers === 0) return ['not requested yet'];
    return [this.#lastFailure ?? 'ok, but not for long enough yet'];
  }
}
