import type { Workload } from '../workload.js';

/** What is wrong, and what to write instead. */
export interface Finding {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  /** Whose trouble it is: `Deployment shop, container web`. */
  readonly subject: string;
  readonly sentence: string;
  /** Lines to write instead. */
  readonly write: readonly string[];
}

/** What one rule says of a container. */
export interface Objection {
  readonly line: number;
  readonly sentence: string;
  readonly write: readonly string[];
}

export interface Rule {
  /** Stable; also a heading of docs/doctor.md. */
  readonly id: string;
  readonly judge: (workload: Workload) => readonly Objection[];
}

/** All that the rules object to in a container. */
export function judgeWorkload(rules: readonly Rule[], workload: Workload): readonly Finding[] {
  const { file, name: subject } = workload;
  return rules.flatMap(({ id: rule, judge }) =>
    judge(workload).map((objection) => ({ rule, file, subject, ...objection })),
  );
}
