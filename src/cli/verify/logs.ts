import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { describe, scrub } from '../../core/scrub.js';
import { fileUnusable } from '../errors.js';
import type { Io } from '../io.js';
import { isRecord } from './endpoint-rules.js';
import type { Result } from './rule.js';
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
    for await (const text of linesOf(file, io)) {
      lines += 1;
      // What other programs print between the lines is theirs.
      if (!text.trimStart().startsWith('{')) continue;
      const record = parse(text);
      if (record === undefined) {
        wrong.json ||= at(lines, `is not JSON: ${scrub(text.slice(0, 60))}`);
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
  if (skipped !== '')
    return { name, reference, outcome: 'skipped', reason: 'there is no request.summary to read' };
  return { name, reference, outcome: reason === '' ? 'passed' : 'failed', reason };
}

function at(line: number, reason: string | undefined): string {
  return reason === undefined ? '' : `line ${line}: ${reason}`;
}

/** A server error must not look like a success. */
function errnoViolation(fields: unknown): string | undefined {
  if (!isRecord(fields)) return undefined;
  const { errno, code } = fields;
  return typeof code === 'number' && code >= 500 && errno !== code
    ? `errno is ${JSON.stringify(errno)} for code ${code}; it must be ${code}`
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

async function* linesOf(file: string, io: Io): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of file === '-' ? io.stdin : createReadStream(resolve(io.cwd, file))) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** By the package's own name: wherever the build puts this file, the schemas are found. */
async function load(name: string): Promise<unknown> {
  const file = createRequire(import.meta.url).resolve(`lifesign/schemas/${name}`);
  return JSON.parse(await readFile(file, 'utf8'));
}
