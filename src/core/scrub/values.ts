// Where a value ends: never before its end, rather after it. Its end depends on how it is written.

export function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

const opening = /\\{0,63}["'`]/y;

/** The quote at a place, with the backslashes that JSON in JSON has before it; empty if there is none. */
export function quoteAt(text: string, at: number): string {
  opening.lastIndex = at;
  return opening.exec(text)?.[0] ?? '';
}

/** The text after the quote that ends a string, also one that is in another. */
const afterString = /(?:[\s,;:)\]}>&+|.]|\\{1,63}[nrt"'`]|["'`](?:[\s,;:)\]}]|$)|$)/y;

/** Where a string in quotes ends: after the quote that closes it, or with the text if none does. Quotes in the value are doubled or escaped, or nothing follows them that follows a string. */
export function quotedEnd(text: string, from: number, quote: string): number {
  const mark = quote.slice(-1);
  const level = quote.length - 1;
  const start = from + quote.length;
  for (let at = text.indexOf(mark, start); at !== -1; at = text.indexOf(mark, at + 1)) {
    let escapes = 0;
    while (at - escapes > start && text.charAt(at - escapes - 1) === '\\') escapes += 1;
    // The end of the string that this one is in.
    if (escapes < level) return at - escapes;
    if (escapes > level) continue;
    if (text.startsWith(quote, at + 1)) at += quote.length;
    else if (isAt(afterString, text, at + 1)) return at + 1;
  }
  return text.length;
}

/** Where a list or an object ends. */
export function groupEnd(text: string, from: number): number {
  const marks = /\\{0,63}["'`]|[[\]{}]/g;
  marks.lastIndex = from;
  let depth = 0;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    const mark = found[0];
    if (mark === '[' || mark === '{') depth += 1;
    else if (mark === ']' || mark === '}') depth -= 1;
    else marks.lastIndex = quotedEnd(text, found.index, mark);
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}

const nextName = /[,;&]\s?["'\\]{0,64}[\w.$-]{1,40}["'\\]{0,64}\s?[=:]/y;
const escapedLine = /\\{1,63}[nr](?:\\{0,63}["'`]|\\{1,63}[nr]|[\w.$-]{1,40}[=:]|\s|$)/y;

/** The characters of an unquoted value: `spaces`: it goes on to the end of its line; `names`: it ends before the next name. */
interface Unquoted {
  readonly spaces: boolean;
  readonly names: boolean;
}

/** Where a value without quotes ends, or the string that it is in: one that began before it. */
export function unquotedEnd(text: string, from: number, { spaces, names }: Unquoted): number {
  const marks = /\s|[,;&]|\\{0,63}["'`]|\\{1,63}[nr]/g;
  marks.lastIndex = from;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    const { 0: mark, index } = found;
    const after = marks.lastIndex;
    if (/\s/.test(mark)) {
      if (!spaces || /[\r\n]/.test(mark)) return index;
    } else if (/[,;&]/.test(mark)) {
      if (names && (isAt(nextName, text, index) || (!spaces && /^\s?$/.test(text.charAt(after)))))
        return index;
    } else if (/[nr]$/.test(mark)) {
      if (isAt(escapedLine, text, index)) return index;
    } else if (spaces && /[=\s,:([{]/.test(text.charAt(index - 1))) {
      // A string in the value: `Cookie: a="b"; c=d`.
      const end = text.indexOf(mark, after);
      if (end !== -1 && !text.slice(after, end).includes('\n')) marks.lastIndex = end + mark.length;
    } else if (isAt(afterString, text, after) && text.indexOf(mark.slice(-1)) < from) return index;
  }
  return text.length;
}
