import { urlInvalid, usageInvalid } from '../../../src/tools.js';

/** The address before the endpoints; the address of an endpoint is accepted too. User, password and query are left out. */
export function baseOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw urlInvalid('The address', url.replace(/^[^]*@/, '***@'), 'a URL such as http://localhost:8000');
  }
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/__(?:version|heartbeat|lbheartbeat)__\/?$/, '');
  return origin + path.replace(/(?<!\/)\/+$/, '');
}

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
