import { moreAbout } from '../help.js';
import { host } from '../runtime.js';
import { shared } from '../shared.js';

export const codeOf = (code: number) => `LIFESIGN_DEP00${code}`;

/** Prints a deprecation warning, once for each old name in a process. `node --no-deprecation` hides it. */
export function warnDeprecated(code: number, old: string, now: string): void {
  const warned = shared('deprecated', () => new Set<string>());
  if (warned.has(old)) return;
  warned.add(old);
  const id = codeOf(code);
  host.emitWarning?.(`${old} is deprecated: ${now}. ${moreAbout(id)}`, 'DeprecationWarning', id);
}
