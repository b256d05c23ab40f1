import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe } from '../../core/scrub/scrub.js';
import { fileUnusable } from '../errors.js';
import type { Io } from '../io.js';
import { isRecord } from '../json.js';
import { linesOf, longestLine } from './lines.js';
import { quoted, type Result, resultOf } from './rule.js';
import { Schema } from './schema.js';

const reference = 'contract.md: request summary';

/** Judges the log of a service: every line that is a `request.summary` must fit the published schemas. */
export async function judgeLogs(file: string, io: Io): Promise<readonly Result[]> {
  const envelope = new Schema(await load('mozlog.schema.json'));
  const others = new Map([['mozlog.schema.json', envelope]]);
  const summary = new Schema(await load('request-summary.schema.json'), others);
  const wrong = { json: '', envelope: '', summary: '', errno: '' };
  let [lines, summaries] = [0, 0];
  try {
    for await (const { text, tooLong } of linesOf(file, io)) {
      lines += 1;
      // What other programs print between the lines is theirs.
      if (!text.trimStart().startsWith('{')) continue;
      if (tooLong) {
        wrong.json ||= at(lines, `has more than ${longestLine} characters: ${text.slice(0, 60)}`);
        continue;
      }
      const record = parse(text);
      if (record === undefined) {
        wrong.json ||= at(lines, `is not JSON: ${text.slice(0, 60)}`);
        continue;
      }
      if (record['Type'] !== 'request.summary') continue;
      summaries += 1;
      const misfit = envelope.violation(record);
      wrong.envelope ||= at(lines, misfit);
      if (misfit === undefined) wrong.summary ||= at(lines, summary.violation(record));
      wrong.errno ||= at(lines, errnoViolation(record['Fields']));
    }
  } catch (thrown) {
    throw fileUnusable(file, 'read', describe(thrown));
  }
  const none = summaries === 0 ? `none of ${lines} lines is a request.summary` : '';
  return [
    result('logs.found', none),
    result('logs.json', wrong.json),
    result('logs.envelope', wrong.envelope, none),
    result('logs.summary', wrong.summary, none),
    result('logs.errno', wrong.errno, none),
  ];
}

function result(name: string, reason: string, skipped = ''): Result {
  if (skipped !== '') return resultOf(name, reference, { skipped: 'there is no request.summary to read' });
  return resultOf(name, reference, reason === '' ? undefined : { failed: reason });
}

function at(line: number, reason: string | undefined): string {
  return reason === undefined ? '' : `line ${line}: ${reason}`;
}

/** A server error must not look like a success. */
function errnoViolation(fields: unknown): string | undefined {
  if (!isRecord(fields)) return undefined;
  const { errno, code } = fields;
  return typeof code === 'number' && code >= 500 && errno !== code
    ? `errno is ${quoted(errno)} for code ${code}; it must be ${code}`
    : undefined;
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** By the package's own name: wherever the build puts this file, the schemas are found. */
async function load(name: string): Promise<unknown> {
  const file = createRequire(import.meta.url).resolve(`lifesign/schemas/${name}`);
  return JSON.parse(await readFile(file, 'utf8'));
}
