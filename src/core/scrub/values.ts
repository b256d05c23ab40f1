/** An opening quote as written in code, in JSON at any depth, in HTML and in a URL. */
const opening = /\\{0,63}(?:["'`]|u002[27])|&quot;|&#3[49];|%2[27]/y;
const brackets: Readonly<Record<string, string>> = { '[': ']', '{': '}', '(': ')' };

/** Where the value that begins at `at` ends; quotes and brackets around it are part of it. */
export function valueEnd(text: string, at: number, encoded = false): number {
  opening.lastIndex = at;
  const quote = opening.exec(text)?.[0];
  if (quote !== undefined) return repeatedEnd(text, at, quote) ?? quotedEnd(text, at + quote.length, quote);
  const open = text.charAt(at);
  const close = brackets[open];
  return close === undefined ? bareEnd(text, at, encoded) : bracketedEnd(text, at, open, close);
}

/** Where the line that contains `at` ends. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** Where a value in doubled or tripled quotes ends, as SQL, CSV and TOML write it; undefined if it is in single ones, or empty. */
function repeatedEnd(text: string, at: number, quote: string): number | undefined {
  const from = runOf(quote, text, at);
  const count = (from - at) / quote.length;
  if (count < 2 || (count % 2 === 0 && endsAfter(text, from))) return undefined;
  const marks = text.slice(at, from);
  for (let end = text.indexOf(marks, from); end !== -1; end = text.indexOf(marks, end)) {
    const after = end + marks.length;
    // More of them, and then more of the value: a quote in the value.
    end = runOf(quote, text, end);
    if (endsAfter(text, end)) return after;
  }
  // Cut off, or never closed; the value of TOML begins in the next line.
  return /^(?:\r?\n|\\{1,8}[rn])/.test(text.slice(from, from + 9)) ? text.length : lineEnd(text, from);
}

function runOf(quote: string, text: string, from: number): number {
  let at = from;
  while (text.startsWith(quote, at)) at += quote.length;
  return at;
}

const endsAfter = (text: string, at: number) => closes(text, at - 1) || /["'`]/.test(text.charAt(at));

function quotedEnd(text: string, from: number, quote: string): number {
  const mark = quote.replaceAll('\\', '');
  const level = quote.length - mark.length;
  for (let at = text.indexOf(mark, from); at !== -1; at = text.indexOf(mark, at + 1)) {
    let escapes = 0;
    while (at - escapes > from && text.charCodeAt(at - escapes - 1) === backslash) escapes += 1;
    // Inside of JSON in JSON the end has as many backslashes as the beginning.
    if (level > 0 ? escapes <= level : escapes === 0 || (escapes % 2 === 0 && closes(text, at))) {
      return at + mark.length;
    }
  }
  // Cut off, or never closed.
  return lineEnd(text, from);
}

const backslash = 92;

function bracketedEnd(text: string, at: number, open: string, close: string): number {
  const marks = open === '[' ? /[[\]]/g : open === '{' ? /[{}]/g : /[()\n]/g;
  marks.lastIndex = at;
  let depth = 0;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    if (found[0] === '\n') return found.index;
    depth += found[0] === close ? -1 : 1;
    if (depth === 0) return found.index + 1;
  }
  return text.length;
}

/** Characters that may end a value without quotes. */
const stops = /[\s,;&"'`\\%]/g;
const nextName = /[,;&]\s?["'\\]{0,4}[\w.$-]{1,40}["'\\]{0,4}\s?[=:]/y;
const escapedLine = /\\{1,4}[nr](?:\\{0,7}["'`]|[\w.$-]{1,40}[=:]|\s|$)/y;

function bareEnd(text: string, at: number, encoded: boolean): number {
  stops.lastIndex = at;
  let end = text.length;
  for (let stop = stops.exec(text); stop !== null; stop = stops.exec(text)) {
    if (!endsBare(text, stop.index, encoded)) continue;
    end = stop.index;
    break;
  }
  // The bracket or the full stop after a value is not its own.
  while (end - 1 > at && ')]}>.,;:!?'.includes(text.charAt(end - 1))) end -= 1;
  return end;
}

function endsBare(text: string, at: number, encoded: boolean): boolean {
  switch (text.charAt(at)) {
    case ',':
    case ';':
    case '&':
      nextName.lastIndex = at;
      return /^\s?$/.test(text.charAt(at + 1)) || nextName.test(text);
    case '"':
    case "'":
    case '`':
      return closes(text, at);
    case '\\':
      escapedLine.lastIndex = at;
      return escapedLine.test(text) || closesEscaped(text, at);
    case '%':
      return encoded && /^%(?:26|22|27|0A|0D|20)$/i.test(text.slice(at, at + 3));
    default:
      return true;
  }
}

/** Whether the quote at a place ends a string, by the text after it. */
function closes(text: string, at: number): boolean {
  return /^(?:[\s,;:)\]}>&\\+]|$)/.test(text.slice(at + 1, at + 2));
}

function closesEscaped(text: string, at: number): boolean {
  let quote = at;
  while (quote - at < 64 && text.charCodeAt(quote) === backslash) quote += 1;
  return '"\'`'.includes(text.charAt(quote) || ' ') && closes(text, quote);
}

const ends = /[\s"'`\\]/g;

/** Where a text without spaces ends that may have quotes in it: before a quote that closes a string. */
export function runEnd(text: string, at: number): number {
  ends.lastIndex = at;
  for (let found = ends.exec(text); found !== null; found = ends.exec(text)) {
    const mark = found[0];
    if (
      mark === '\\' ? closesEscaped(text, found.index) : !'"\'`'.includes(mark) || closes(text, found.index)
    ) {
      return found.index;
    }
  }
  return text.length;
}
