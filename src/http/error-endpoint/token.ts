import { host } from '../../core/runtime.js';

/** Whether a text is the token, compared in constant time. */
export function isToken(given: string, token: string): boolean {
  const crypto = host.getBuiltinModule?.('node:crypto');
  if (crypto === undefined) return sameCharacters(given, token);
  // Of one length, which `timingSafeEqual` asks for.
  const digest = (text: string) => crypto.createHash('sha256').update(text).digest();
  return crypto.timingSafeEqual(digest(given), digest(token));
}

/** For runtimes without node:crypto: looks at every character, whatever it has seen. */
export function sameCharacters(given: string, token: string): boolean {
  let difference = given.length ^ token.length;
  for (let index = 0; index < given.length; index += 1) {
    difference |= given.charCodeAt(index) ^ token.charCodeAt(index % token.length);
  }
  return difference === 0;
}
