import { levels } from '../../../src/tools.js';
import { isRecord, parseObject } from '../json.js';
import { type Answer, answersOf, type EndpointEvidence, type Evidence, judgeEach } from './evidence.js';
import {
  type Expectations,
  must,
  quoted,
  type Rule,
  rule,
  type RuleHead,
  should,
  type Verdict,
} from './rule.js';

type Json = Readonly<Record<string, unknown>>;
type Objection = string | undefined;

const levelByWord: ReadonlyMap<unknown, number> = new Map([['ok', 0], ...Object.entries(levels)]);
const words = `one of ok, ${Object.keys(levels).join(', ')}`;

/** The rules for the bodies. */
export function reportRules(expected: Expectations): readonly Rule<Evidence>[] {
  return [
    rule(must('version.fields', '3-version-object'), ({ version }) => fieldsVerdict(version)),
    rule(should('version.stable', 'verify.md'), ({ version }) => stableVerdict(version)),
    rule(should('heartbeat.same-checks', 'verify.md'), sameChecksVerdict),
    heartbeat(must('heartbeat.shape', '51-fields'), shapeViolation),
    heartbeat(should('heartbeat.words'), wordsViolation),
    heartbeat(should('heartbeat.levels'), levelsViolation),
    heartbeat(must('heartbeat.details', '51-fields'), detailsViolation),
    heartbeat(should('heartbeat.messages'), messagesViolation),
    heartbeat(should('heartbeat.overall'), overallViolation),
    heartbeat(must('heartbeat.code', '24-heartbeat-endpoint'), (report, code) =>
      isSpecified(report) ? codeViolation(report, code, expected) : undefined,
    ),
    heartbeat(should('heartbeat.other-levels'), (report, code) =>
      isSpecified(report) ? undefined : codeViolation(report, code, expected),
    ),
    rule(must('lbheartbeat.independent', '25-load-balancer-endpoint'), independentVerdict),
  ];
}

/** On the report of every answer. */
function heartbeat(head: RuleHead, judge: (report: Json, status: number) => Objection): Rule<Evidence> {
  return rule(head, (evidence) => {
    const answers = objectsOf(answersOf(evidence.heartbeat));
    if (answers.length === 0) return { skipped: 'there is no report' };
    return judgeEach(answers, ({ status }, { object }) => judge(object, status));
  });
}

/** The answers that are JSON objects, with those. */
const objectsOf = (answers: readonly Answer[]) =>
  answers.flatMap((answer) => {
    const object = parseObject(answer.exchange);
    return object === undefined ? [] : [{ ...answer, object }];
  });

function fieldsVerdict(evidence: EndpointEvidence): Verdict {
  const answers = objectsOf(answersOf(evidence).filter(({ exchange }) => exchange.status === 200));
  if (answers.length === 0) return { skipped: 'there is no version object' };
  return judgeEach(answers, (_exchange, { object: version }) => {
    const field = ['commit', 'version', 'source', 'build'].find(
      (name) => version[name] !== undefined && typeof version[name] !== 'string',
    );
    return field && `${field} is ${quoted(version[field])}; it must be a string`;
  });
}

/** Two builds at one address: a rollout that is in progress, or one that is stuck. */
function stableVerdict(evidence: EndpointEvidence): Verdict {
  const [first, ...others] = answersOf(evidence);
  if (first === undefined) return { skipped: 'the endpoint did not answer' };
  const differs = others.some(
    ({ exchange: { status, body } }) => status !== first.exchange.status || !body.equals(first.exchange.body),
  );
  return differs
    ? 'the responses differ: more than one build is running, or the file is changing'
    : undefined;
}

/** An alert cannot rely on a check that comes and goes. */
function sameChecksVerdict({ heartbeat: evidence }: Evidence): Verdict {
  const sets = objectsOf(answersOf(evidence)).flatMap(({ object: { checks } }) =>
    isRecord(checks) ? [Object.keys(checks).toSorted()] : [],
  );
  const [first, ...others] = sets;
  if (first === undefined) return { skipped: 'there is no list of checks' };
  const other = others.find((set) => set.join('\n') !== first.join('\n'));
  if (other === undefined) return undefined;
  const odd = [...first, ...other].find((name) => first.includes(name) !== other.includes(name));
  return `check ${quoted(odd)} is in some responses and not in others`;
}

function shapeViolation({ status, checks, details }: Json): Objection {
  if (typeof status !== 'string') return `status is ${quoted(status)}; it must be a string`;
  // Details are hidden: only the status.
  if (checks === undefined && details === undefined) return undefined;
  if (!isRecord(checks)) return `checks is ${quoted(checks)}; it must be an object`;
  for (const [name, word] of Object.entries(checks)) {
    if (typeof word !== 'string') return `checks.${name} is ${quoted(word)}; it must be a string`;
  }
  if (!isRecord(details)) return `details is ${quoted(details)}; it must be an object`;
  for (const [name, detail] of Object.entries(details)) {
    const wrong = detailShape(detail);
    if (wrong !== undefined) return `details.${name}${wrong}`;
  }
  return undefined;
}

function detailShape(detail: unknown): Objection {
  if (!isRecord(detail)) return ' must be an object';
  const { status, level, messages } = detail;
  if (typeof status !== 'string') return `.status is ${quoted(status)}; it must be a string`;
  if (!Number.isInteger(level)) return `.level is ${quoted(level)}; it must be an integer`;
  if (!isRecord(messages)) return `.messages is ${quoted(messages)}; it must map ids to texts`;
  const odd = Object.entries(messages).find(([, text]) => typeof text !== 'string');
  return odd && `.messages[${quoted(odd[0])}] is ${quoted(odd[1])}; it must be a text`;
}

function wordsViolation({ status, checks, details }: Json): Objection {
  const named: [string, unknown][] = [['status', status]];
  for (const [name, word] of entries(checks)) named.push([`checks.${name}`, word]);
  for (const [name, detail] of entries(details)) {
    if (isRecord(detail)) named.push([`details.${name}.status`, detail['status']]);
  }
  // Values that are not texts are found by the rule for the shape.
  const odd = named.find(([, word]) => typeof word === 'string' && !levelByWord.has(word));
  return odd && `${odd[0]} is ${quoted(odd[1])}; it must be ${words}`;
}

function levelsViolation({ details }: Json): Objection {
  for (const [name, detail] of entries(details)) {
    if (!isRecord(detail)) continue;
    const level = levelByWord.get(detail['status']);
    if (level !== undefined && detail['level'] !== level) {
      return `details.${name} has level ${quoted(detail['level'])}; ${quoted(detail['status'])} is ${level}`;
    }
  }
  return undefined;
}

function detailsViolation({ checks, details }: Json): Objection {
  if (!isRecord(checks) || !isRecord(details)) return undefined;
  for (const [name, word] of Object.entries(checks)) {
    const detail = Object.hasOwn(details, name) ? details[name] : undefined;
    if (word === 'ok' && detail !== undefined) return `check ${name} is ok but has details`;
    if (word !== 'ok' && !isRecord(detail)) {
      return `check ${name} is ${quoted(word)} but has no details`;
    }
    if (isRecord(detail) && detail['status'] !== word) {
      return `check ${name} is ${quoted(word)} but its details say ${quoted(detail['status'])}`;
    }
  }
  const stray = Object.keys(details).find((name) => !Object.hasOwn(checks, name));
  return stray === undefined ? undefined : `details.${stray} belongs to no check`;
}

/** A check that is not ok says why, and each text can be looked up by its id. */
function messagesViolation({ details }: Json): Objection {
  for (const [name, detail] of entries(details)) {
    if (!isRecord(detail) || !isRecord(detail['messages'])) continue;
    const messages = Object.entries(detail['messages']);
    if (messages.length === 0) return `details.${name}.messages is empty; it must explain why`;
    if (messages.some(([id]) => id === '')) return `details.${name}.messages has an empty id`;
    if (messages.some(([, text]) => text === '')) return `details.${name}.messages has an empty text`;
  }
  return undefined;
}

function overallViolation({ status, checks }: Json): Objection {
  if (!isRecord(checks)) return undefined;
  const [worst] = worstOf(Object.values(checks)) ?? ['ok'];
  return status === worst ? undefined : `status is ${quoted(status)} but the worst check is ${quoted(worst)}`;
}

/** The gravest of the words that are known, with its level. */
function worstOf(words: readonly unknown[]): readonly [word: unknown, level: number] | undefined {
  const known = words.flatMap((word) => {
    const level = levelByWord.get(word);
    return level === undefined ? [] : [[word, level] as const];
  });
  return known.toSorted(([, a], [, b]) => b - a)[0];
}

/** The statuses of the checks, or the overall status if they are hidden. */
function wordsOf({ status, checks }: Json): readonly unknown[] {
  const said = isRecord(checks) ? Object.values(checks) : [];
  return said.length === 0 ? [status] : said;
}

/** Whether the specification defines the status code of a report: Debug, Info and Critical are open. */
function isSpecified(report: Json): boolean {
  const said = wordsOf(report);
  return said.every((word) => word === 'ok') || said.includes('warning') || said.includes('error');
}

function codeViolation(report: Json, code: number, { failLevel, failedStatusCode }: Expectations): Objection {
  const worst = worstOf(wordsOf(report));
  if (worst === undefined) return undefined;
  const [word, level] = worst;
  const right = level >= failLevel ? failedStatusCode : 200;
  return code === right ? undefined : `${code} for status ${quoted(word)}; it must be ${right}`;
}

const entries = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : []);

const slow = 100;

/** Seen from outside: it stays 200 while the heartbeat fails, lists no checks, and does not take as long as they do. */
function independentVerdict({ heartbeat, lbheartbeat }: Evidence): Verdict {
  const answers = answersOf(lbheartbeat);
  if (answers.length === 0) return { skipped: 'the endpoint did not answer' };
  const failing = new Set(heartbeat.gets.map(({ status }) => status).filter((status) => status >= 400));
  const wrong = judgeEach(answers, (lb) => {
    if (failing.has(lb.status))
      return `it returns ${lb.status} when the heartbeat does; it must run no checks`;
    return parseObject(lb)?.['checks'] === undefined ? undefined : 'its body lists checks; it must run none';
  });
  if (wrong !== undefined) return wrong;
  const [checks, alone] = [quickest(heartbeat), quickest(lbheartbeat)];
  return checks > slow && alone > checks * 0.8
    ? `it takes as long as the checks (${Math.round(alone)} of ${Math.round(checks)} ms); it must run none`
    : undefined;
}

function quickest({ gets }: EndpointEvidence): number {
  return Math.min(...gets.map(({ ms }) => ms));
}
