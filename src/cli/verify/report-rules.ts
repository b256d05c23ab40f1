import { levels } from '../../core/heartbeat/messages.js';
import { isRecord, parseObject } from '../json.js';
import { type Expectations, failed } from './endpoint-rules.js';
import type { EndpointEvidence, Evidence } from './evidence.js';
import { quoted, type Rule, type Verdict } from './rule.js';

type Json = Readonly<Record<string, unknown>>;

const levelByWord: ReadonlyMap<unknown, number> = new Map([['ok', 0], ...Object.entries(levels)]);
const words = `one of ok, ${Object.keys(levels).join(', ')}`;

/** The rules on what the bodies say. */
export function reportRules(expected: Expectations): readonly Rule<Evidence>[] {
  return [
    {
      name: 'version.fields',
      reference: 'SPEC 2.1',
      judge: ({ version }) => fieldsVerdict(parseObject(version.gets[0]), version.gets[0].status),
    },
    heartbeat('heartbeat.shape', 'SPEC 2.2', shapeVerdict),
    heartbeat('heartbeat.levels', 'contract.md: checks and messages', levelsVerdict),
    heartbeat('heartbeat.details', 'SPEC 2.2', detailsVerdict),
    heartbeat('heartbeat.overall', 'contract.md: checks and messages', overallVerdict),
    heartbeat('heartbeat.code', 'SPEC 4 and 7', (report, status) => codeVerdict(report, status, expected)),
    { name: 'lbheartbeat.independent', reference: 'SPEC 4 rule 3', judge: independentVerdict },
  ];
}

function heartbeat(
  name: string,
  reference: string,
  judge: (report: Json, status: number) => Verdict,
): Rule<Evidence> {
  return {
    name,
    reference,
    judge: ({ heartbeat }) => {
      const [get] = heartbeat.gets;
      const report = parseObject(get);
      return report === undefined ? { skipped: 'there is no report to read' } : judge(report, get.status);
    },
  };
}

function fieldsVerdict(version: Json | undefined, status: number): Verdict {
  if (version === undefined || status !== 200) return { skipped: 'there is no version object to read' };
  for (const field of ['commit', 'version', 'source', 'build']) {
    const value = version[field];
    if (value !== undefined && typeof value !== 'string') {
      return failed(`${field} is ${quoted(value)}; it must be a string`);
    }
  }
  return undefined;
}

function shapeVerdict(report: Json): Verdict {
  const { status, checks, details } = report;
  if (!levelByWord.has(status)) return failed(`status is ${quoted(status)}; it must be ${words}`);
  // Hidden from strangers: the status alone.
  if (checks === undefined && details === undefined) return undefined;
  if (!isRecord(checks)) return failed(`checks is ${quoted(checks)}; it must be an object`);
  for (const [name, word] of Object.entries(checks)) {
    if (!levelByWord.has(word)) return failed(`checks.${name} is ${quoted(word)}; it must be ${words}`);
  }
  if (!isRecord(details)) return failed(`details is ${quoted(details)}; it must be an object`);
  for (const [name, detail] of Object.entries(details)) {
    const wrong = detailShape(detail);
    if (wrong !== undefined) return failed(`details.${name}${wrong}`);
  }
  return undefined;
}

function detailShape(detail: unknown): string | undefined {
  if (!isRecord(detail)) return ' must be an object';
  if (!levelByWord.has(detail['status']))
    return `.status is ${quoted(detail['status'])}; it must be ${words}`;
  if (!Number.isInteger(detail['level']))
    return `.level is ${quoted(detail['level'])}; it must be an integer`;
  const { messages } = detail;
  if (!isRecord(messages)) return `.messages is ${quoted(messages)}; it must map ids to texts`;
  const odd = Object.entries(messages).find(([id, text]) => id === '' || typeof text !== 'string');
  return odd && `.messages[${quoted(odd[0])}] is ${quoted(odd[1])}; it must be a text with an id`;
}

function levelsVerdict({ details }: Json): Verdict {
  if (!isRecord(details)) return { skipped: 'the report has no details' };
  for (const [name, detail] of Object.entries(details)) {
    if (!isRecord(detail)) continue;
    const level = levelByWord.get(detail['status']);
    if (level !== undefined && detail['level'] !== level) {
      return failed(
        `details.${name} has level ${quoted(detail['level'])}; ${quoted(detail['status'])} is ${level}`,
      );
    }
  }
  return undefined;
}

function detailsVerdict({ checks, details }: Json): Verdict {
  if (!isRecord(checks) || !isRecord(details)) return { skipped: 'the report has no details' };
  for (const [name, word] of Object.entries(checks)) {
    const detail = details[name];
    if (word !== 'ok' && !isRecord(detail))
      return failed(`check ${name} is ${quoted(word)} and has no details`);
    if (isRecord(detail) && detail['status'] !== word) {
      return failed(`check ${name} is ${quoted(word)} and its details say ${quoted(detail['status'])}`);
    }
  }
  const stray = Object.keys(details).find((name) => !Object.hasOwn(checks, name));
  return stray === undefined ? undefined : failed(`details.${stray} belongs to no check`);
}

function overallVerdict({ status, checks }: Json): Verdict {
  if (!isRecord(checks)) return { skipped: 'the report lists no checks' };
  let [worst, height]: [unknown, number] = ['ok', 0];
  for (const word of Object.values(checks)) {
    const level = levelByWord.get(word) ?? 0;
    if (level > height) [worst, height] = [word, level];
  }
  return status === worst
    ? undefined
    : failed(`status is ${quoted(status)} and the worst check is ${quoted(worst)}`);
}

function codeVerdict({ status }: Json, code: number, { failLevel, failedStatusCode }: Expectations): Verdict {
  const level = levelByWord.get(status);
  if (level === undefined) return { skipped: 'the status is unknown' };
  const right = level >= failLevel ? failedStatusCode : 200;
  return code === right ? undefined : failed(`${code} for status ${quoted(status)}; it must be ${right}`);
}

const slow = 100;

/** Seen from outside: it stays 200 while the heartbeat fails, lists no checks, and does not take as long as they do. */
function independentVerdict({ heartbeat, lbheartbeat }: Evidence): Verdict {
  const [lb] = lbheartbeat.gets;
  if (lb.failure !== undefined) return { skipped: 'the endpoint gave no answer' };
  const [{ status }] = heartbeat.gets;
  if (status >= 400 && lb.status === status) {
    return failed(`it gives ${lb.status} when the heartbeat does; it must run no checks`);
  }
  if (parseObject(lb)?.['checks'] !== undefined) return failed('its body lists checks; it must run none');
  const [checks, alone] = [quickest(heartbeat), quickest(lbheartbeat)];
  if (checks > slow && alone > checks * 0.8) {
    return failed(
      `it takes as long as the checks (${Math.round(alone)} of ${Math.round(checks)} ms); it must run none`,
    );
  }
  return undefined;
}

function quickest({ gets }: EndpointEvidence): number {
  return Math.min(...gets.map(({ ms }) => ms));
}
