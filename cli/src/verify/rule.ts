import { clean } from '../../../src/tools.js';

/** Choices of the service's operator. */
export interface Expectations {
  /** Status code of a failed heartbeat. */
  readonly failedStatusCode: number;
  /** The lowest level that fails it. */
  readonly failLevel: number;
  /** Milliseconds an answer may take. */
  readonly maxLatency: number;
}

/** The outcome of a rule: why it failed, why it could not be judged, or undefined if it passed. */
export type Verdict = string | { readonly skipped: string } | undefined;

/** `must`: the specification demands it, or no service may do otherwise. `should`: we recommend it, and it fails only with `--strict`. */
type Demand = 'must' | 'should';

/** The facts of a rule before it has judged anything. */
export interface RuleHead {
  /** Stable: `heartbeat.vary`. */
  readonly name: string;
  readonly demand: Demand;
  /** Its source: a section of the specification, or a page of ours if that is silent. */
  readonly reference: string;
}

/** One line of the contract. */
export interface Rule<Subject> extends RuleHead {
  readonly judge: (subject: Subject) => Verdict;
}

/** A rule and its outcome. */
export interface Result extends RuleHead {
  /** `advised`: a recommendation that is not followed. */
  readonly outcome: 'passed' | 'failed' | 'advised' | 'skipped';
  /** Empty if it passed. */
  readonly reason: string;
  /** The command that explains the rule. */
  readonly docs: string;
}

const ours = 'contract.md';

/** A rule of the specification; `section` is its heading in docs/contract.md. */
export const must = (name: string, section: string): RuleHead => ({
  name,
  demand: 'must',
  reference: `contract.md#${section}`,
});

/** A rule that fails by default although the specification is silent: `page` has the reason. */
export const demanded = (name: string, page: string): RuleHead => ({ name, demand: 'must', reference: page });

/** A rule of our own. */
export const should = (name: string, page = ours): RuleHead => ({ name, demand: 'should', reference: page });

export const rule = <Subject>(head: RuleHead, judge: (subject: Subject) => Verdict): Rule<Subject> => ({
  ...head,
  judge,
});

export function judgeAll<Subject>(rules: readonly Rule<Subject>[], subject: Subject): readonly Result[] {
  return rules.map((rule) => resultOf(rule, rule.judge(subject)));
}

const maxReasonLength = 500;

/** A reason may repeat untrusted text: it is shortened here, and has no credentials. */
export function resultOf({ name, demand, reference }: RuleHead, verdict: Verdict): Result {
  const head = { name, demand, reference, docs: docsOf(name) };
  if (verdict === undefined) return { ...head, outcome: 'passed', reason: '' };
  if (typeof verdict === 'object') return { ...head, outcome: 'skipped', reason: verdict.skipped };
  const reason = clean(verdict, maxReasonLength);
  return { ...head, outcome: demand === 'must' ? 'failed' : 'advised', reason };
}

const endpointNames = /^(?:version|heartbeat|lbheartbeat|livez|readyz|startupz)\./;

/** `vary` for `heartbeat.vary`: the three endpoints share a rule, which is explained once. */
export function kindOf(name: string): string {
  const kind = name.replace(endpointNames, '');
  return ownKinds.has(kind) ? name : kind;
}

/** Kinds that only one endpoint has keep its name. */
const ownKinds: ReadonlySet<string> = new Set(
  'fields stable not-found same-checks shape words levels details messages overall code other-levels independent'.split(
    ' ',
  ),
);

const docsOf = (name: string): string => `lifesign-cli explain ${kindOf(name)}`;

const maxValueLength = 200;

/** An untrusted value for a reason, as JSON. */
export function quoted(value: unknown): string {
  if (value === undefined) return 'missing';
  try {
    const json = JSON.stringify(value);
    return json.length > maxValueLength ? `${json.slice(0, maxValueLength)}…` : json;
  } catch {
    return 'a value nested too deeply to show';
  }
}
