import { Ajv, type ErrorObject } from 'ajv';
import envelope from '../../../schemas/mozlog.schema.json' with { type: 'json' };
import summary from '../../../schemas/request-summary.schema.json' with { type: 'json' };
import { quoted } from './rule.js';

// `verbose` hands over the value that does not fit. Inherited names are not fields of a line.
const ajv = new Ajv({ verbose: true, ownProperties: true, strictTypes: false });

/** The problem of a line; undefined if it matches. */
export type Misfit = (line: unknown) => string | undefined;

/** Compiles a JSON schema; `$ref` may name one that was compiled before. */
function misfitOf(schema: boolean | object): Misfit {
  const validate = ajv.compile(schema);
  return (line) => {
    validate(line);
    const [error] = validate.errors ?? [];
    return error && sentenceOf(error);
  };
}

/** The envelope first: the schema of a request refers to it. */
export const misfitOfEnvelope: Misfit = misfitOf(envelope);
export const misfitOfSummary: Misfit = misfitOf(summary);

function sentenceOf({ instancePath, keyword, params, schema, data }: ErrorObject): string {
  const place = pathOf(instancePath);
  if (keyword === 'required') return `${join(place, params['missingProperty'])} is missing`;
  if (keyword === 'additionalProperties') return `${join(place, params['additionalProperty'])} ${absent}`;
  const subject = place || 'the line';
  if (keyword === 'false schema') return `${subject} ${absent}`;
  return `${subject} is ${quoted(data)}; it must be ${expectations[keyword]?.(schema) ?? `as ${keyword} says`}`;
}

const absent = 'must not be present';
const expectations: Readonly<Record<string, ((argument: unknown) => string) | undefined>> = {
  type: (types) => [types].flat().join(' or '),
  const: (value) => JSON.stringify(value),
  enum: (values) => `one of ${JSON.stringify(values)}`,
  minimum: (limit) => `at least ${String(limit)}`,
  maximum: (limit) => `at most ${String(limit)}`,
  minLength: () => 'longer',
  maxLength: () => 'shorter',
};

/** A JSON pointer as people write it: `/Fields/t` is `Fields.t`. */
function pathOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

const join = (place: string, name: unknown) => (place === '' ? String(name) : `${place}.${String(name)}`);
