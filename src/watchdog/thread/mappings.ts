/** A place in a source of a map; line and column count from 0. */
export interface MappedPlace {
  readonly source: number;
  readonly line: number;
  readonly column: number;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const digits = new Map(Array.from(alphabet, (digit, value) => [digit.charCodeAt(0), value]));
const comma = 44;
const semicolon = 59;

/**
 * The source position of a place in a compiled file, by the `mappings` of its source map. It walks them once and keeps nothing:
 * unfolded, as Node's own `SourceMap` has them, some megabytes of them take more memory than this thread has.
 */
export function findMapped(mappings: string, line: number, column: number): MappedPlace | undefined {
  /** Of the mapping that is read: column, source, line and column there, and a name. Each is a difference to the last. */
  const fields = [0, 0, 0, 0, 0];
  let count = 0;
  let row = 0;
  let value = 0;
  let shift = 0;
  let found = false;
  const place = { source: 0, line: 0, column: 0 };
  for (let index = 0; index <= mappings.length; index += 1) {
    const code = index < mappings.length ? mappings.charCodeAt(index) : semicolon;
    if (code === comma || code === semicolon) {
      const [at = 0, source = 0, originalLine = 0, originalColumn = 0] = fields;
      if (count > 0 && row === line && at <= column) {
        // A single field: it has no source position.
        found = count >= 4;
        place.source = source;
        place.line = originalLine;
        place.column = originalColumn;
      }
      count = 0;
      if (code === comma) continue;
      if (row === line) break;
      row += 1;
      fields[0] = 0;
      continue;
    }
    const digit = digits.get(code);
    if (digit === undefined || shift > 30 || count >= fields.length) return undefined;
    value += (digit & 31) * 2 ** shift;
    shift += 5;
    if (digit >= 32) continue;
    const size = Math.floor(value / 2);
    fields[count] = (fields[count] ?? 0) + (value % 2 === 1 ? -size : size);
    count += 1;
    value = 0;
    shift = 0;
  }
  return found ? place : undefined;
}
