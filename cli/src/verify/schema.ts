import { validator } from '@exodus/schemasafe';
import envelope from '../../../schemas/mozlog.schema.json' with { type: 'json' };
import summary from '../../../schemas/request-summary.schema.json' with { type: 'json' };
import { isRecord } from '../json.js';
import { quoted } from './rule.js';

/** The problem of a line; undefined if it matches. */
export type Misfit = (line: unknown) => string | undefined;
type Checked = Parameters<ReturnType<typeof validator>>[0];

/** Compiles a JSON schema without its relative `$id`, and without the envelope that it refers to: lines match that one first. */
function misfitOf({
  $id: _id,
  $schema: _draft,
  allOf: _envelope,
  ...schema
}: Record<string, unknown>): Misfit {
  const validate = validator(schema, { includeErrors: true, mode: 'lax' });
  return (line) => {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- a parsed line is JSON
    validate(line as Checked);
    const [error] = validate.errors ?? [];
    return error && sentenceOf(schema, line, error.keywordLocation, error.instanceLocation);
  };
}

export const misfitOfEnvelope: Misfit = misfitOf(envelope);
export const misfitOfSummary: Misfit = misfitOf(summary);

function sentenceOf(schema: unknown, line: unknown, rule: string, place: string): string {
  const rules = rule.split('/').slice(1);
  // The fields have no fields themselves: what follows is a name, slashes and all.
  const [first = '', ...rest] = place.split('/').slice(1);
  const names = rest.length === 0 ? [first] : [first, rest.join('/')];
  const keyword = rules.at(-1) ?? '';
  if (keyword === 'required') return `${names.join('.')} is missing`;
  if (keyword === 'additionalProperties') return `${names.join('.')} must not be present`;
  const expectation = expectations[keyword]?.(valueAt(schema, rules)) ?? `as ${keyword} says`;
  return `${names.join('.')} is ${quoted(valueAt(line, names))}; it must be ${expectation}`;
}

const valueAt = (value: unknown, names: readonly string[]): unknown =>
  names.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);

const expectations: Readonly<Record<string, ((argument: unknown) => string) | undefined>> = {
  type: (types) => [types].flat().join(' or '),
  const: (value) => JSON.stringify(value),
  enum: (values) => `one of ${JSON.stringify(values)}`,
  minimum: (limit) => `at least ${String(limit)}`,
  maximum: (limit) => `at most ${String(limit)}`,
  minLength: () => 'longer',
  maxLength: () => 'shorter',
};
