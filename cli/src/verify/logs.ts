import { setTimeout as sleep } from 'node:timers/promises';
import { describe, fileUnusable, type Io } from '../../../src/tools.js';
import { isRecord, parseJson, repeatedKey } from '../json.js';
import type { Sent } from './evidence.js';
import { contentOf, linesOf, maxLineLength } from './lines.js';
import { fieldsOf, logRules } from './log-rules.js';
import { must, quoted, type Result, type RuleHead, resultOf, should } from './rule.js';
import { misfitOfEnvelope, misfitOfSummary } from './schema.js';
import { sentHeads, SentRequests } from './sent-requests.js';

/** How long to wait for the last lines of a log, in milliseconds. */
const late = [100, 400, 1500];

/** Judges the log of a service. If requests were sent, each must have its line. */
export async function judgeLogs(
  file: string,
  sent: readonly Sent[] | undefined,
  io: Io,
): Promise<readonly Result[]> {
  let outcome = await read(file, sent, io);
  for (const wait of late) {
    // Standard input cannot be read again.
    if (outcome.complete || file === '-') break;
    await sleep(wait);
    outcome = await read(file, sent, io);
  }
  return outcome.results;
}

/** The rules on logs. */
export function logHeads(): readonly RuleHead[] {
  return [...formHeads, ...logRules().map(({ head }) => head), ...sentHeads];
}

const [found, isJson, fitsEnvelope, fitsSummary] = [
  must('logs.found', '71-request-summary'),
  should('logs.json', 'logging.md'),
  should('logs.envelope', 'logging.md'),
  should('logs.summary', 'logging.md'),
];
const formHeads = [found, isJson, fitsEnvelope, fitsSummary];

async function read(
  file: string,
  sent: readonly Sent[] | undefined,
  io: Io,
): Promise<{ readonly results: readonly Result[]; readonly complete: boolean }> {
  const rules = logRules().map((rule) => ({ rule, wrong: '' }));
  const requests = sent && new SentRequests(sent);
  const wrong = { json: '', envelope: '', summary: '' };
  let [lines, summaries] = [0, 0];
  try {
    const content = contentOf(file, io, requests && (() => requests.complete));
    for await (const whole of linesOf(content)) {
      lines += 1;
      // Runtimes, Compose, kubectl and journals write their own text before a line; lines of other programs are ignored.
      const start = whole.indexOf('{');
      const text = whole.slice(start);
      if (start === -1 || (whole.slice(0, start).trim() !== '' && !text.includes('"request.summary"')))
        continue;
      if (whole.length > maxLineLength) {
        wrong.json ||= at(lines, `has more than ${maxLineLength} characters: ${text.slice(0, 60)}`);
        continue;
      }
      const parsed = parseJson(text);
      if ('wrong' in parsed || !isRecord(parsed.value)) {
        wrong.json ||= at(
          lines,
          `${'wrong' in parsed ? parsed.wrong : 'is not a JSON object'}: ${text.slice(0, 60)}`,
        );
        continue;
      }
      const key = repeatedKey(text, parsed.value);
      if (key !== undefined) wrong.json ||= at(lines, `has the key ${quoted(key)} twice`);
      const record = parsed.value;
      if (record['Type'] !== 'request.summary') continue;
      summaries += 1;
      const misfit = misfitOfEnvelope(record);
      wrong.envelope ||= at(lines, misfit);
      if (misfit === undefined) wrong.summary ||= at(lines, misfitOfSummary(record));
      const fields = fieldsOf(record);
      for (const entry of rules) {
        const objection = entry.rule.line?.(record, fields, text);
        entry.wrong ||= at(lines, objection);
      }
      requests?.add(fields, lines);
    }
  } catch (thrown) {
    throw fileUnusable(file, 'read', describe(thrown));
  }
  const none = summaries === 0 ? `none of ${lines} lines is a request.summary` : '';
  const results = [
    result(found, none),
    result(isJson, wrong.json),
    result(fitsEnvelope, wrong.envelope, none),
    result(fitsSummary, wrong.summary, none),
    ...rules.map(({ rule, wrong: line }) => result(rule.head, line || (rule.end?.() ?? ''), none)),
    ...(requests?.results() ?? []),
  ];
  return { results, complete: requests?.complete ?? true };
}

function result(head: RuleHead, reason: string, skipped = ''): Result {
  const none = { skipped: 'there is no request.summary line' };
  return resultOf(head, skipped === '' ? reason || undefined : none);
}

function at(line: number, reason: string | undefined): string {
  return reason === undefined ? '' : `line ${line}: ${reason}`;
}
