import { clean } from './scrub/scrub.js';

/** A value that a log line can hold as it is. */
export type Scalar = string | number | boolean | null;

/** Flat fields of a log record. */
export type Fields = Readonly<Record<string, Scalar>>;

/** Fields of the application's own in one record, and characters of a name and a value. */
const maxFields = 20;
const maxNameLength = 64;
const maxValueLength = 1000;

/** The scalars of an object of the application's, without credentials. Throws if reading throws. */
export function scalarsOf(given: object): Fields {
  const fields: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(given).slice(0, maxFields)) {
    const scalar = scalarOf(name, value);
    if (scalar !== undefined) fields[clean(name, maxNameLength)] = scalar;
  }
  return fields;
}

function scalarOf(name: string, value: unknown): Scalar | undefined {
  if (typeof value === 'string') return cleanValue(name, value);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'boolean' || value === null ? value : undefined;
}

/** A value may be a secret by its name only. */
function cleanValue(name: string, value: string): string {
  const pair = `${name}=`;
  const cleaned = clean(pair + value, pair.length + maxValueLength);
  return cleaned.startsWith(pair) ? cleaned.slice(pair.length) : clean(value, maxValueLength);
}
