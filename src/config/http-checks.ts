import { http } from '../checks/http.js';
import type { Check } from '../core/heartbeat/check.js';
import { clean } from '../core/scrub/scrub.js';
import { urlInvalid } from './errors.js';

const expects =
  'a comma-separated list of name=URL, where each URL starts with http:// or https://, such as ' +
  'auth=https://auth/health,http://billing:8000/health (write a comma inside a URL as %2C)';

const variable = 'HEALTH_HTTP_CHECKS';

/** More than that is not a list of dependencies. */
const maxChecks = 1000;

/**
 * The checks of `HEALTH_HTTP_CHECKS`: `auth=https://auth/__lbheartbeat__,https://billing/health`. `refuse` gets the problem of
 * an entry, and its name; it throws by default, else the other entries are taken.
 */
export function httpChecks(
  text: string,
  refuse: (thrown: unknown, name: string) => void = rethrow,
): Readonly<Record<string, Check>> {
  // Without a prototype: a check may be called __proto__.
  const checks: Record<string, Check> = Object.create(null);
  const taken = new Map<string, number>();
  // Every comma separates: an address whose scheme was forgotten must not become part of the one before it.
  const entries = text.split(/[\s,]/).filter((entry) => entry !== '');
  if (entries.length > maxChecks) {
    refuse(urlInvalid(variable, `${entries.length} addresses`, `at most ${maxChecks}`), variable);
    return checks;
  }
  for (const entry of entries) {
    const name = /^[^=/:?#@]+(?==)/.exec(entry)?.[0];
    const url = name === undefined ? entry : entry.slice(name.length + 1);
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
      refuse(urlInvalid(variable, clean(entry.replace(/^.*@/s, '***@'), 200), expects), name ?? variable);
      continue;
    }
    checks[unused(name ?? new URL(url).host, checks, taken)] = http(url);
  }
  return checks;
}

function rethrow(thrown: unknown): never {
  throw thrown;
}

/** A name that no check has yet: the host, `host_2` and so on. `taken` says how far each was counted: a list may be long. */
function unused(name: string, checks: object, taken: Map<string, number>): string {
  for (let count = taken.get(name) ?? 1; ; count += 1) {
    const candidate = count === 1 ? name : `${name}_${count}`;
    if (Object.hasOwn(checks, candidate)) continue;
    taken.set(name, count + 1);
    return candidate;
  }
}
