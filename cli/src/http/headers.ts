import { usageInvalid } from '../../../src/command/errors.js';

/** The headers of `--header 'Name: value'`. Their values may be secret: no message shows them. */
export function headersOf(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === '' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw usageInvalid('--header is not a header; write --header "Name: value"');
    }
    headers[name] = value.trim();
  }
  return headers;
}
