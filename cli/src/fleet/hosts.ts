import { isIP } from 'node:net';

/**
 * Whether a request may be answered by the name it asks for. A page of another site can point a name of its own at this machine
 * (DNS rebinding) and would read the fleet; it cannot do so with an address, or with a name that is always local.
 */
export function isAllowedRequest(
  target: string,
  header: string | undefined,
  allowed: readonly string[],
): boolean {
  // A target that is a whole address, as clients of a proxy send it, names the host again, and HTTP lets that one count.
  const named = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1];
  // Only clients of HTTP/1.0 send no header, and no browser is one.
  return [named, header].every((host) => host === undefined || isAllowedHost(host, allowed));
}

function isAllowedHost(given: string, allowed: readonly string[]): boolean {
  const host = nameOf(given);
  if (isIP(host) !== 0 || host === 'localhost' || host.endsWith('.localhost')) return true;
  return allowed.some((name) => nameOf(name) === host);
}

/** Without port, brackets and the dot that ends a full name. */
function nameOf(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}
