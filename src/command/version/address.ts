// Addresses for version.json. It is public, and CI providers put tokens into the addresses they hand over.
import { scrub } from '../../core/scrub/scrub.js';

/** Longer than any address. */
const maxLength = 2000;

/**
 * The address of a repository or a build as a link: `git@github.com:acme/app.git` is `https://github.com/acme/app`.
 * User, password, query and fragment go.
 */
export function webUrl(address: string | undefined): string | undefined {
  if (address === undefined || address.length > maxLength) return undefined;
  const bare = withoutUser(address);
  // A token with a slash in it, taken for a host: better no link than half a token.
  if (/[^/]@/.test(bare)) return undefined;
  const url = bare.includes('://') ? bare : fromScp(bare);
  if (url === undefined || !URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  if (parsed.protocol === 'file:' || parsed.hostname === '') return undefined;
  const scheme = parsed.protocol === 'http:' ? 'http:' : 'https:';
  const host = /^https?:$/.test(parsed.protocol) ? parsed.host : parsed.hostname;
  const path = parsed.pathname.replace(/\.git\/?$/, '').replace(/\/$/, '');
  return `${scheme}//${host}${scrub(path)}`;
}

/** `host:path`, as ssh and git write it; undefined for a path of a file and for git's `helper::address`. */
function fromScp(address: string): string | undefined {
  const [, host, path] = /^([^:/\s]{2,}):([^:\s]\S*)$/.exec(address) ?? [];
  return host === undefined ? undefined : `https://${host}/${path}`;
}

/** All up to the last @ goes, as in `scrub`: a password may hold every other character. */
function withoutUser(address: string): string {
  const [before = '', ...after] = address.split('://');
  const scheme = after.length === 0 ? '' : `${before}://`;
  const rest = address.slice(scheme.length);
  const [authority = ''] = rest.split(/[/?#]/, 1);
  // Without a user, an @ belongs to the path: https://host/@acme/app
  if (scheme !== '' && !/[:@]/.test(authority)) return address;
  return scheme + rest.slice(rest.lastIndexOf('@') + 1);
}

/** A value that was given for version.json, without the credentials of an address in it. */
export function withoutCredentials(field: string, value: string): string {
  if (!value.includes('://')) {
    const isAddress = field === 'source' || field === 'build';
    // git@host:path has nothing to hide.
    return isAddress && !/^git@[^@:]+:/.test(value) ? withoutUser(value) : value;
  }
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) {
    return value.replace(/\S+/g, (word) => (word.includes('://') ? withoutUser(word) : word));
  }
  const [, address = '', query = '', fragment = ''] =
    /^([^?#]*)(\?[^#]*)?(#[^]*)?$/.exec(withoutUser(value)) ?? [];
  return address + harmless(query) + harmless(fragment);
}

const secretName = /tok|key|secret|pass|pwd|auth|sig|cred|sess|code|jwt|sas|cookie/i;

/** A query or a fragment without the parameters that look like credentials. */
function harmless(part: string): string {
  const parameters = part.slice(1).split('&');
  const kept = parameters.filter((pair) => {
    const [name = ''] = pair.split('=', 1);
    return pair.length <= maxLength && !secretName.test(name) && scrub(pair) === pair;
  });
  if (kept.length === parameters.length) return part;
  return kept.length === 0 ? '' : part.slice(0, 1) + kept.join('&');
}
