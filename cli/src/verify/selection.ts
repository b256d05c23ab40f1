import { endpointRules } from './endpoint-rules.js';
import { endpoints } from './evidence.js';
import { idleRules, reuseRules } from './idle.js';
import { logHeads } from './logs.js';
import { probeRules } from './probe-rules.js';
import { reportRules } from './report-rules.js';
import { kindOf, must, type Result, type RuleHead } from './rule.js';

/** Which rules count, and how much. */
export interface Selection {
  readonly strict: boolean;
  readonly skip: readonly string[];
  /** Empty for all. */
  readonly only: readonly string[];
  readonly profile: string | undefined;
  readonly excused: readonly string[];
}

export const reachable = must('reachable', '2-endpoints');

/** Every rule there is, in the order of the report. */
function allRules(): readonly RuleHead[] {
  const expected = { failedStatusCode: 500, failLevel: 30, maxLatency: 1000 };
  return [
    reachable,
    ...endpoints.flatMap((endpoint) => endpointRules(endpoint, expected)),
    ...reportRules(expected),
    ...probeRules(expected),
    ...reuseRules,
    ...idleRules,
    ...logHeads(),
  ];
}

/** `heartbeat.vary` is one rule; `vary` is the rule for all endpoints, `heartbeat` all of one. */
function names(name: string, rule: string): boolean {
  return rule === name || kindOf(rule) === name || rule.startsWith(`${name}.`);
}

export function knownRule(name: string): boolean {
  return allRules().some((rule) => names(name, rule.name));
}

const has = (list: readonly string[], { name }: Result) => list.some((item) => names(item, name));

/** The results that count: the selected ones, with recommendations failing only if they should. */
export function select(results: readonly Result[], selection: Selection): readonly Result[] {
  const { strict, skip, only, profile, excused } = selection;
  const wanted = only.length === 0 ? results : results.filter((result) => has(only, result));
  return wanted.map((result) => {
    if (has(skip, result)) return { ...result, outcome: 'skipped', reason: 'skipped by --skip' };
    if (result.outcome !== 'failed' && result.outcome !== 'advised') return result;
    if (has(excused, result)) {
      return { ...result, outcome: 'skipped', reason: `known difference of ${profile}: ${result.reason}` };
    }
    return strict ? { ...result, outcome: 'failed' } : result;
  });
}
