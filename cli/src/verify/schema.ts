import { isRecord } from '../json.js';
import { quoted } from './rule.js';

/**
 * The part of JSON Schema that the published schemas use, so that they are the one source and no validator has to
 * be installed. A keyword it does not know is refused: half a validation would pass what it should not.
 */
export class Schema {
  readonly #schema: unknown;
  readonly #others: ReadonlyMap<string, Schema>;

  /** `others` are what a `$ref` may name. */
  constructor(schema: unknown, others: ReadonlyMap<string, Schema> = new Map()) {
    this.#schema = schema;
    this.#others = others;
  }

  /** What is wrong with a value; undefined where it fits. */
  violation(value: unknown): string | undefined {
    return violation(this.#schema, value, '', this.#others);
  }
}

type Others = ReadonlyMap<string, Schema>;

function violation(schema: unknown, value: unknown, path: string, others: Others): string | undefined {
  if (schema === true) return undefined;
  if (schema === false) return `${path || 'the line'} must not be present`;
  if (!isRecord(schema)) throw new TypeError('A schema must be an object or a boolean');
  for (const [keyword, argument] of Object.entries(schema)) {
    const judge = keywords[keyword];
    if (judge === undefined) throw new TypeError(`Unknown schema keyword ${keyword}`);
    const wrong = judge(argument, value, path, schema, others);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

type Keyword = (
  argument: unknown,
  value: unknown,
  path: string,
  schema: Readonly<Record<string, unknown>>,
  others: Others,
) => string | undefined;

const annotation: Keyword = () => undefined;

const keywords: Readonly<Record<string, Keyword | undefined>> = {
  $schema: annotation,
  $id: annotation,
  $comment: annotation,
  title: annotation,
  description: annotation,
  default: annotation,
  examples: annotation,
  type: (argument, value, path) => {
    const types = Array.isArray(argument) ? argument.map(String) : [String(argument)];
    return types.some((type) => isOf(type, value)) ? undefined : wrong(path, value, types.join(' or '));
  },
  const: (argument, value, path) =>
    value === argument ? undefined : wrong(path, value, JSON.stringify(argument)),
  enum: (argument, value, path) =>
    list(argument).includes(value) ? undefined : wrong(path, value, `one of ${JSON.stringify(argument)}`),
  minimum: (argument, value, path) =>
    typeof value === 'number' && value < Number(argument)
      ? wrong(path, value, `at least ${String(argument)}`)
      : undefined,
  maximum: (argument, value, path) =>
    typeof value === 'number' && value > Number(argument)
      ? wrong(path, value, `at most ${String(argument)}`)
      : undefined,
  minLength: (argument, value, path) =>
    typeof value === 'string' && value.length < Number(argument) ? wrong(path, value, 'longer') : undefined,
  maxLength: (argument, value, path) =>
    typeof value === 'string' && value.length > Number(argument) ? wrong(path, value, 'shorter') : undefined,
  required: (argument, value, path) => {
    if (!isRecord(value)) return undefined;
    const missing = list(argument)
      .map(String)
      .find((name) => !Object.hasOwn(value, name));
    return missing && `${join(path, missing)} is missing`;
  },
  properties: (argument, value, path, _, others) => {
    if (!isRecord(value) || !isRecord(argument)) return undefined;
    return first(Object.entries(argument), ([name, schema]) =>
      Object.hasOwn(value, name) ? violation(schema, value[name], join(path, name), others) : undefined,
    );
  },
  additionalProperties: (argument, value, path, { properties }, others) => {
    if (!isRecord(value)) return undefined;
    const known = isRecord(properties) ? properties : {};
    const unnamed = Object.entries(value).filter(([name]) => !Object.hasOwn(known, name));
    return first(unnamed, ([name, item]) => violation(argument, item, join(path, name), others));
  },
  allOf: (argument, value, path, _, others) =>
    first(list(argument), (schema) => violation(schema, value, path, others)),
  $ref: (argument, value, _path, _schema, others) => {
    const other = others.get(String(argument));
    if (other === undefined) throw new TypeError(`Unknown schema ${String(argument)}`);
    return other.violation(value);
  },
};

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isRecord(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function first<T>(items: readonly T[], judge: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = judge(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const list = (argument: unknown): readonly unknown[] => (Array.isArray(argument) ? argument : []);
const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);
const wrong = (path: string, value: unknown, expected: string) =>
  `${path || 'the line'} is ${quoted(value)}; it must be ${expected}`;
