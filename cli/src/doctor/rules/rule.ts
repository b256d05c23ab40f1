import type { Call } from '../traits.js';
import type { Workload } from '../workload.js';

/** A hazard takes a service down or makes an outage worse; advice is worth a change without that. */
export type Level = 'hazard' | 'advice';

/** A problem, and how to fix it. */
export interface Finding {
  readonly rule: string;
  readonly level: Level;
  readonly file: string;
  readonly line: number;
  /** The container at fault: `Deployment shop, container web`. */
  readonly subject: string;
  readonly sentence: string;
  /** Lines to write instead, if they are right as they stand; else the reason is in the source. */
  readonly write: readonly string[];
  /** The page that documents the reason for the rule. */
  readonly source: string;
}

/** The findings of one rule for a container. */
export interface Objection {
  readonly line: number;
  readonly sentence: string;
  readonly write?: readonly string[];
  /** If it differs from the rule's. */
  readonly level?: Level;
  /** If it is in another file than the container. */
  readonly file?: string;
}

export interface Rule {
  /** Stable; also a heading of docs/doctor.md. */
  readonly id: string;
  readonly level: Level;
  readonly source: string;
  readonly judge: (workload: Workload, call: Call) => Objection | readonly Objection[];
}

/** A value that only a template or the platform knows is in no text and in no line to write. */
const isHole = (text: string): boolean => /\$\{\}|\bNaN\b|\bundefined\b/.test(text);

/** All that the rules object to in a container. */
export function judgeWorkload(rules: readonly Rule[], workload: Workload, call: Call): readonly Finding[] {
  const { file } = workload;
  const subject = workload.name.replaceAll('${}', '…');
  return rules.flatMap(({ id: rule, level, source, judge }) =>
    [judge(workload, call)]
      .flat()
      .filter(({ sentence }) => !isHole(sentence))
      .map((objection) => {
        const { write = [] } = objection;
        return { rule, level, file, subject, source, ...objection, write: write.some(isHole) ? [] : write };
      }),
  );
}

/** One line of a file has one cause: lines that several containers share by an alias are reported once. */
export function withoutRepeats(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ rule, file, line, sentence }) => {
    const key = JSON.stringify([rule, file, line, sentence]);
    return !seen.has(key) && seen.add(key);
  });
}
