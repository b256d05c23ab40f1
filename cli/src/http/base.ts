import { urlInvalid } from '../../../src/command/errors.js';

/** The address before the endpoints; the address of an endpoint is accepted too. User, password and query are left out. */
export function baseOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw urlInvalid('The address', url.replace(/^[^]*@/, '***@'), 'a URL such as http://localhost:8000');
  }
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/__(?:version|heartbeat|lbheartbeat)__\/?$/, '');
  return origin + path.replace(/(?<!\/)\/+$/, '');
}
