import { clean } from '../../core/scrub/scrub.js';

/** What a rule found: nothing wrong, why it failed, or why it could not be judged. */
export type Verdict = { readonly failed: string } | { readonly skipped: string } | undefined;

/** One line of the contract. */
export interface Rule<Subject> {
  /** Stable: `heartbeat.vary`. */
  readonly name: string;
  /** Where the contract says so. */
  readonly reference: string;
  readonly judge: (subject: Subject) => Verdict;
}

/** A rule and what it found. */
export interface Result {
  readonly name: string;
  readonly reference: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Empty where it passed. */
  readonly reason: string;
}

export function judgeAll<Subject>(rules: readonly Rule<Subject>[], subject: Subject): readonly Result[] {
  return rules.map(({ name, reference, judge }) => resultOf(name, reference, judge(subject)));
}

const longestReason = 500;

/** A reason may repeat what strangers wrote: it is bounded here, and has no credentials. */
export function resultOf(name: string, reference: string, verdict: Verdict): Result {
  if (verdict === undefined) return { name, reference, outcome: 'passed', reason: '' };
  return 'failed' in verdict
    ? { name, reference, outcome: 'failed', reason: clean(verdict.failed, longestReason) }
    : { name, reference, outcome: 'skipped', reason: verdict.skipped };
}

const longestValue = 200;

/** A value of a stranger for a reason, as JSON. */
export function quoted(value: unknown): string {
  if (value === undefined) return 'missing';
  try {
    const json = JSON.stringify(value);
    return json.length > longestValue ? `${json.slice(0, longestValue)}…` : json;
  } catch {
    return 'a value that is nested too deep to show';
  }
}
