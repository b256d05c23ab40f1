import { http } from '../../checks/http.js';
import type { Check } from '../../core/registry.js';
import { clean } from '../../core/scrub.js';
import { urlInvalid } from '../errors.js';

// A comma may be part of a URL: only one before another entry separates.
const separator = /(?<![\s,])[\s,]+(?=(?:[\w.-]+=)?https?:\/\/)/;

/** The checks of `HEALTH_HTTP_CHECKS`: `auth=https://auth/__lbheartbeat__,https://billing/health`. */
export function httpChecks(text: string): Readonly<Record<string, Check>> {
  // Without a prototype: a check may be called __proto__.
  const checks: Record<string, Check> = Object.create(null);
  for (const entry of text.trim().split(separator)) {
    if (entry === '') continue;
    const [, name, url = ''] = /^(?:([\w.-]+)=)?(.*)$/s.exec(entry.replace(/(?<![\s,])[\s,]+$/, '')) ?? [];
    if (!/^https?:/.test(url) || !URL.canParse(url)) {
      throw urlInvalid(
        'HEALTH_HTTP_CHECKS',
        clean(entry, 200),
        'a list of name=URL with commas between them',
      );
    }
    checks[unused(name ?? new URL(url).host, checks)] = http(url);
  }
  return checks;
}

function unused(name: string, checks: object): string {
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${name}_${count}`;
    if (!Object.hasOwn(checks, candidate)) return candidate;
  }
}
