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
  return rules.map(({ name, reference, judge }) => ({ name, reference, ...outcomeOf(judge(subject)) }));
}

function outcomeOf(verdict: Verdict): Pick<Result, 'outcome' | 'reason'> {
  if (verdict === undefined) return { outcome: 'passed', reason: '' };
  return 'failed' in verdict
    ? { outcome: 'failed', reason: verdict.failed }
    : { outcome: 'skipped', reason: verdict.skipped };
}
