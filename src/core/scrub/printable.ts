// Control characters, formatting and direction marks, halves of surrogate pairs, line separators.
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;
const unprintableInJson = /(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu;

/** Untrusted text, safe for a terminal and on one line: characters that would move, hide or colour other text are escaped. */
export function printable(text: string): string {
  return text.replace(unprintable, escape);
}

/** Any data as JSON that is safe for a terminal and still the same data. */
export function printableJson(data: unknown): string {
  return `${JSON.stringify(data, null, 2)}\n`.replace(unprintableInJson, escape);
}

/** By UTF-16 units, as JSON wants it. */
function escape(character: string): string {
  let escaped = '';
  for (let at = 0; at < character.length; at += 1) {
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}
