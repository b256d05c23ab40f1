import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

/** A line as an operator's tools read it. */
export interface Line {
  readonly Timestamp: number;
  readonly Type: string;
  readonly Logger: string;
  readonly Severity: number;
  readonly Fields: Readonly<Record<string, string | number | boolean | null>>;
}

const read = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8'));
const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false });
ajv.addSchema(read('mozlog'));
const isSummary = ajv.compile(read('request-summary'));
const isJob = ajv.compile(read('job-summary'));
const isMozlog = ajv.getSchema('mozlog.schema.json');

/** Parses one line; fails where it is not one line, not JSON, or does not fit the schema of its type. */
export function parseLine(line: string): Line {
  // Everything that some reader takes for the end of a line.
  assert.doesNotMatch(line, /[\n\r\v\f\u0085\u2028\u2029]/);
  const parsed: Line = JSON.parse(line);
  const fits =
    parsed.Type === 'request.summary' ? isSummary : parsed.Type === 'job.summary' ? isJob : isMozlog;
  if (fits?.(parsed) !== true) throw new Error(`${line}\n${ajv.errorsText(fits?.errors)}`);
  return parsed;
}
