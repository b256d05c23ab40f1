import { SourceMap } from 'node:module';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findMapped } from '../../src/watchdog/thread/source-maps.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function encode(value: number): string {
  let rest = value < 0 ? -value * 2 + 1 : value * 2;
  let text = '';
  do {
    const digit = rest % 32;
    rest = Math.floor(rest / 32);
    text += alphabet.charAt(rest > 0 ? digit + 32 : digit);
  } while (rest > 0);
  return text;
}

interface Mapping {
  readonly column: number;
  readonly source: number;
  readonly line: number;
  readonly original: number;
}

/** The `mappings` of lines of a compiled file. */
function mappingsOf(lines: readonly (readonly Mapping[])[]): string {
  let last = { source: 0, line: 0, original: 0 };
  return lines
    .map((line) => {
      let column = 0;
      return line
        .map((mapping) => {
          const differences = [
            mapping.column - column,
            mapping.source - last.source,
            mapping.line - last.line,
            mapping.original - last.original,
          ];
          ({ column } = mapping);
          last = mapping;
          return differences.map(encode).join('');
        })
        .join(',');
    })
    .join(';');
}

const number = fc.oneof(fc.nat(20), fc.nat(100_000));
const mapping = fc.record({ column: number, source: fc.nat(3), line: number, original: number });
const line = fc.uniqueArray(mapping, { maxLength: 8, selector: ({ column }) => column });
const sorted = line.map((mappings) => mappings.toSorted((a, b) => a.column - b.column));

it('finds what was written down, and what Node finds on the same line', () => {
  const lines = fc.array(sorted, { maxLength: 6 });
  fc.assert(
    fc.property(lines, fc.nat(7), number, (all, row, column) => {
      const mappings = mappingsOf(all);
      const expected = all[row]?.findLast((candidate) => candidate.column <= column);
      const found = findMapped(mappings, row, column);
      expect(found).toEqual(
        expected && { source: expected.source, line: expected.line, column: expected.original },
      );
      if (found === undefined) return;
      const map = { version: 3, file: '', sources: ['a', 'b', 'c', 'd'], names: [], mappings };
      const entry = new SourceMap({ ...map, sourcesContent: [], sourceRoot: '' }).findEntry(row, column);
      expect(entry).toMatchObject({ originalLine: found.line, originalColumn: found.column });
    }),
  );
});

it('finds nothing in what nobody wrote, and in what is no mappings, without throwing', () => {
  // The second mapping has a column and nothing else.
  expect(findMapped('AAAA,I', 0, 2)).toEqual({ source: 0, line: 0, column: 0 });
  expect(findMapped('AAAA,I', 0, 9)).toBeUndefined();
  fc.assert(
    fc.property(fc.string(), fc.nat(3), fc.nat(50), (text, row, column) => {
      const found = findMapped(text, row, column);
      return found === undefined || Number.isInteger(found.line);
    }),
  );
});
