import { expect, test } from 'vitest';
import { printable, printableJson } from '../../../src/core/scrub/printable.js';

test.each([
  ['plain text, café, 漢字, 🎉', 'plain text, café, 漢字, 🎉'],
  ['\u001b[31mred\n', '\\u001b[31mred\\u000a'],
  ['\u202eevil\u200b', '\\u202eevil\\u200b'],
  ['a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ['half \ud83c', 'half \\ud83c'],
  ['\u{e0001}', '\\udb40\\udc01'],
])('%j is shown as %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test('data is JSON on several lines, and still the same', () => {
  const data = { text: '\u001b[31m\u202e\n', list: ['🎉', '\u{e0001}'] };
  const shown = printableJson(data);
  expect(shown).toBe(
    '{\n  "text": "\\u001b[31m\\u202e\\n",\n  "list": [\n    "🎉",\n    "\\udb40\\udc01"\n  ]\n}\n',
  );
  expect(JSON.parse(shown)).toEqual(data);
});
