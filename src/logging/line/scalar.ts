import { isError } from '../../core/objects.js';
import { describe } from '../../core/scrub/scrub.js';

/** Characters that JSON does not carry unchanged, or not as ASCII. */
export const special = /[^\x20\x21\x23-\x5b\x5d-\x7e]/;
/** Control characters and separators that JSON allows and some readers take for the end of a line. */
const separators = /[\u007f-\u009f\u2028\u2029]/g;

/** A string as JSON, on one line whichever characters the reader splits at. */
export function quote(text: string): string {
  if (!special.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(
    separators,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Any value as the JSON of a scalar; undefined if there is nothing to show. Never throws. */
export function scalarJson(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : `"${value}"`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'undefined':
      return undefined;
    default:
      return value === null ? 'null' : quote(scalarText(value));
  }
}

/** The length up to which a text is kept whole. */
const maxLength = 8192;

/** Any value as text: a string as it is, an object as its JSON. Never throws. */
export function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  let text: string;
  try {
    const data = dataOf(value, [], { left: 1000 });
    text = typeof data === 'string' ? data : JSON.stringify(data);
  } catch {
    text = '[cannot be shown]';
  }
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** A copy that JSON.stringify can carry: no cycle, no deep or endless structure, nothing it refuses. */
function dataOf(value: unknown, within: readonly unknown[], budget: { left: number }): unknown {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
    case 'symbol':
      return String(value);
    case 'undefined':
      return within.length === 0 ? 'undefined' : undefined;
    case 'function':
      return `[function ${value.name || 'anonymous'}]`;
    case 'object':
      break;
    default:
      return value;
  }
  if (value === null) return null;
  if (within.includes(value)) return '[circular]';
  budget.left -= 1;
  if (within.length === 8 || budget.left < 0) return '[…]';
  if (isError(value)) return describe(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;

  const below = [...within, value];
  const inner = (read: () => unknown): unknown => {
    try {
      return dataOf(read(), below, budget);
    } catch {
      return '[threw]';
    }
  };
  const { toJSON }: { toJSON?: unknown } = value;
  if (typeof toJSON === 'function') return inner(() => toJSON.call(value, ''));
  if (Array.isArray(value)) return value.slice(0, 1000).map((item: unknown) => inner(() => item));
  if (value instanceof Set) return [...value].slice(0, 1000).map((item) => inner(() => item));
  if (value instanceof Map) {
    const pairs = [...value].slice(0, 1000);
    return Object.fromEntries(pairs.map(([key, item]) => [scalarText(key), inner(() => item)]));
  }
  const keys = Object.keys(value).slice(0, 1000);
  return Object.fromEntries(keys.map((key) => [key, inner(() => Reflect.get(value, key))]));
}
