import { type Family, isHidden, Scrubbed } from './family.js';
import { hints } from './hints.js';
import { isProse, looksRandom, type Strength, strengthOf } from './names.js';
import { lineEnd, runEnd, valueEnd } from './values.js';

const separator = /[:=]|->|%3[ad]/gi;
const more = /[:=>]{0,3}(?:[ \t]|\\{1,8}t){0,3}/y;
/** A header may continue in the next line: after CRLF in any, after a line feed in those that are nothing else. */
const folded = /(?:\r\n|\\{1,8}r\\{1,8}n)(?:[ \t]|\\{1,8}t){1,4}/y;
const foldedLine = /(?:\r?\n|\\{1,8}n)(?:[ \t]|\\{1,8}t){1,4}/y;
const emptyValue = /[\w.-]{1,40}=[^=\s]/y;
const block = /[|>][+-]?(?:\n[ \t][^\n]*|\\{1,63}n[ \t][^\\\n]*)+/y;
/** secrets.js:12:5, as stacks name a place: no secret of that name. */
const sourceFile = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|json|html|coffee|wasm|node)$/i;
const place = /:\d{1,7}(?::\d{1,7})?(?![\w:=+/.-])/y;
const scheme =
  /(?:Basic|Bearer|Token|ApiKey|Api-Key|Key|Negotiate|NTLM|Splunk|SSWS|GenieKey)(?:(?:[ \t]|\\{1,8}t){1,3}|%20|(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)(?:[ \t]|\\{1,8}t){1,4})/iy;

/** password=…, "db_password": "…", X-Api-Key: …, Authorization: …, in every way of writing and quoting it. */
export const pairs: Family = {
  name: 'name and value',
  hint: hints.pairs,
  scrub(text) {
    const scrubbed = new Scrubbed(text);
    separator.lastIndex = 0;
    for (let found = separator.exec(text); found !== null; found = separator.exec(text)) {
      const name = nameBefore(text, found.index, scrubbed.at);
      // After a line feed that JSON has written, the first letter belongs to that.
      const strength = (escapedStart.test(name) ? strengthOf(name.slice(2)) : undefined) ?? strengthOf(name);
      if (strength === undefined || (sourceFile.test(name) && isAt(place, text, found.index))) continue;
      more.lastIndex = separator.lastIndex;
      const next = separator.lastIndex + (more.exec(text)?.[0].length ?? 0);
      const from =
        found[0] === ':' && (strength === 'header' || name.includes('-'))
          ? afterFold(text, next, strength)
          : next;
      const value = secretAt(text, from, found[0], strength);
      if (value === undefined) continue;
      scrubbed.hide(value.from, value.to);
      separator.lastIndex = value.to;
    }
    return scrubbed.toString();
  },
};

/** Where the value of a header begins: in the next line, if it is folded. */
function afterFold(text: string, at: number, strength: Strength): number {
  if (isAt(folded, text, at)) return folded.lastIndex;
  return strength === 'header' && isAt(foldedLine, text, at) ? foldedLine.lastIndex : at;
}

const maxNameLength = 64;
const escapedStart = /^\\[nrt]/;

function nameBefore(text: string, separator: number, floor: number): string {
  const end = nameEnd(text, separator, floor);
  let from = end;
  while (from > floor && end - from < maxNameLength && isNamePart(text.charCodeAt(from - 1))) from -= 1;
  const isEscaped = text.charCodeAt(from - 1) === backslash && /[nrt]/.test(text.charAt(from));
  const name = text.slice(isEscaped ? from - 1 : from, end);
  // "API key: …"
  if (name.toLowerCase() !== 'key') return name;
  // Of a query, `key` is one of an API.
  if (/[?&]/.test(text.charAt(from - 1))) return 'api_key';
  return `${/[A-Za-z]{1,20} $/.exec(text.slice(Math.max(floor, from - 21), from))?.[0] ?? ''}${name}`;
}

const backslash = 92;
const quote = /^["'`]$/;
const writtenQuotes = ['&quot;', '&#34;', '&#39;', '%22', '%27', 'u0022', 'u0027', '%5B%5D', '%5D'];

/** Where a name ends that may have spaces, a bracket and a quote between itself and its separator. */
function nameEnd(text: string, separator: number, floor: number): number {
  let end = separator;
  while (end > floor && separator - end < 12) {
    const gap = gapBefore(text, end);
    if (gap === 0) break;
    end -= gap;
  }
  for (let marks = 0; marks < 4 && /[)\][*]/.test(text.charAt(end - 1)); marks += 1) end -= 1;
  const written = writtenQuotes.find((mark) => text.startsWith(mark, end - mark.length));
  if (written !== undefined) end -= written.length;
  else if (quote.test(text.charAt(end - 1))) end -= 1;
  else return Math.max(end, floor);
  while (end > floor && separator - end < 80 && text.charCodeAt(end - 1) === backslash) end -= 1;
  return Math.max(end, floor);
}

/** The length of the space or tab before a place, which JSON writes as `\t`. */
function gapBefore(text: string, at: number): number {
  return /(?:[ \t]|\\{1,8}t)$/.exec(text.slice(Math.max(0, at - 9), at))?.[0].length ?? 0;
}

/** Letters of any script, digits, and `_ - . $`. */
function isNamePart(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46 ||
    code === 36 ||
    code >= 0xc0
  );
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function secretAt(
  text: string,
  from: number,
  separator: string,
  strength: Exclude<Strength, undefined>,
): Span | undefined {
  const first = text.charAt(from);
  if (first === '' || first === '\n' || first === '\r' || isHidden(text, from)) return undefined;
  // token://, and a name whose value was left out: `password= host=db`.
  if (separator === ':' && text.startsWith('//', from)) return undefined;
  if (separator === '=' && /\s/.test(text.charAt(from - 1)) && isAt(emptyValue, text, from)) return undefined;
  if (isAt(block, text, from)) return { from, to: block.lastIndex };
  if (strength === 'header') return headerAt(text, from, separator);
  const to = valueEnd(text, from, separator.length > 1);
  const value = text.slice(from, Math.min(to, from + 64));
  if (/^["'`\\&%[{(]/.test(first) && value.length > 2)
    return isShown(value) || settings.test(text.slice(from, Math.min(to, from + 500)))
      ? undefined
      : { from, to };
  if (isProse(value) || /^<[^>]{0,40}>?$/.test(value)) return undefined;
  if (strength === 'strong') return /^\d{1,3}$/.test(value) ? undefined : { from, to };
  if (/^\d{1,3}$/.test(value)) return undefined;
  const sure = separator !== ':' || (value.length >= 6 && looksRandom(value));
  return sure ? { from, to } : undefined;
}

/** { enabled: true, min: 8 } */
const settings =
  /^\{\s{0,3}(?:["'\\]{0,8}[\w-]{1,40}["'\\]{0,8}\s{0,3}:\s{0,3}(?:true|false|null|undefined|\d{1,3})\s{0,3},?\s{0,3}){0,20}\}$/;

/** Quoted values that are not secret. */
function isShown(value: string): boolean {
  return /^(?:\[object Object\]|["'`\\]{1,16})$/.test(value);
}

function headerAt(text: string, from: number, separator: string): Span | undefined {
  if (/^["'`\\&%[{]/.test(text.charAt(from))) return { from, to: valueEnd(text, from) };
  if (isAt(scheme, text, from)) {
    const start = scheme.lastIndex;
    if (isHidden(text, start)) return undefined;
    const to = valueEnd(text, start, separator.length > 1);
    return isProse(text.slice(start, Math.min(to, start + 32))) ? undefined : { from: start, to };
  }
  const word = text.slice(from, Math.min(valueEnd(text, from), from + 64));
  // These continue with parameters.
  if (/^(?:digest|oauth|hawk|signature|mac|aws4?-[\w-]*)$/i.test(word))
    return { from, to: lineEnd(text, from) };
  if (isProse(word) || word.startsWith('<')) return undefined;
  if (separator !== ':') return { from, to: valueEnd(text, from, separator.length > 1) };
  return /[=\d]/.test(word) || word.length >= 12 ? { from, to: quotedLineEnd(text, from) } : undefined;
}

/** The end of the line, or of the string it is in. */
function quotedLineEnd(text: string, from: number): number {
  const line = lineEnd(text, from);
  let at = from;
  while (at < line) {
    const end = runEnd(text, at);
    if (end >= line) return line;
    if (!/\s/.test(text.charAt(end))) return end;
    at = end + 1;
  }
  return line;
}

function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
