import { isIP } from 'node:net';

/**
 * Whether a request may be answered by its Host header. A page of another site can point a name of its own at this machine
 * (DNS rebinding) and would read the fleet; it cannot do so with an address, or with a name that is always local.
 */
export function isAllowedHost(header: string | undefined, allowed: readonly string[]): boolean {
  // Only clients of HTTP/1.0 leave it out, and no browser is one.
  if (header === undefined) return true;
  const host = header
    .replace(/:\d*$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase();
  if (isIP(host) !== 0 || host === 'localhost' || host.endsWith('.localhost')) return true;
  return allowed.some((name) => name.toLowerCase() === host);
}
