// What a secret looks like in a text. Every search takes time in proportion to the text: it consumes what it has read, or reads a bounded part.

const hidden = '***';

/** Replaces what begins where a pattern matches, from left to right. A match without a range stays. */
function hide(
  text: string,
  begin: RegExp,
  rangeOf: (match: RegExpExecArray, after: number) => readonly [from: number, to: number] | undefined,
): string {
  let done = '';
  let at = 0;
  begin.lastIndex = 0;
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    const range = rangeOf(match, begin.lastIndex);
    if (range === undefined) continue;
    done += text.slice(at, range[0]) + hidden;
    at = range[1];
    begin.lastIndex = at;
  }
  return done + text.slice(at);
}

/** The end of the match of a sticky pattern; undefined if it does not match there. */
function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** The texts that PostgreSQL, MySQL, MariaDB's client and Drizzle write before a value and after it. The last end counts: a value may contain anything. */
const rows: readonly (readonly [start: RegExp, end: string | undefined])[] = [
  [/Failing row contains \(/g, ')'],
  [/Key \([^\n=]{1,300}\)=\(/g, ')'],
  [/Duplicate entry \\{0,8}'/g, "' for key"],
  [/ - parameters:\[/g, ']'],
  // In `util.inspect`, it may begin another string.
  [/(?:\n|\\{1,63}n(?:["'`] \+\s{1,9}["'`])?)params: /g, undefined],
];
const frame = /(?:\n|\\{1,8}n) {4}at [^\n]{0,500}?:\d{1,9}\)?(?=\\|\n|["'`]|$)/g;

export const withoutRows = (text: string): string =>
  rows.reduce(
    (shown, [start, end]) =>
      hide(shown, start, (_found, from) => {
        if (shown.startsWith(hidden, from)) return undefined;
        // A message ends before its stack.
        frame.lastIndex = from;
        const limit = frame.exec(shown)?.index ?? shown.length;
        const last = end === undefined ? -1 : shown.lastIndexOf(end, limit - 1);
        return [from, last < from ? limit : last];
      }),
    text,
  );

const keyBegin = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-{4,5}/g;
const keyEnd = /-{4,5} ?END [A-Z0-9 ]{1,40}-{4,5}/g;

/** Private keys in PEM, also if their end was cut off. */
export const withoutPrivateKeys = (text: string): string =>
  hide(text, keyBegin, ({ index }, after) => {
    keyEnd.lastIndex = after;
    return [index, keyEnd.test(text) ? keyEnd.lastIndex : text.length];
  });

const login = /:\/\/([^\s/?#"'`<>(){}[|\\:@]{0,256})([:@])/g;
/** A port of a host, and what follows it in a text or in a URL. A password of digits and a slash looks the same. */
const port = /\d{1,5}(?:[\s"'`<>(){}|\\,;:.]|$)/y;
const portAndPath = /\d{1,5}[/?#]/y;
const webScheme = /(?:https?|wss?)$/i;
const hostAfter = /@[\w.[*\u0080-\uffff-]/g;
/** What no password contains: another URL, a frame of a stack, a line of several words. */
const otherLine = /:\/\/|\n\s{1,8}at |\n[^\n]{0,256}\S \S/;
const maxPassword = 512;

/** `postgres://app:p@ss/word@host`: user and password are hidden, the host helps the operator. */
export const withoutLogins = (text: string): string =>
  hide(text, login, ({ index, 1: user = '', 2: mark = '' }, after) => {
    // `git@` is not a secret.
    if (mark === '@' && user === 'git') return undefined;
    const mayBeHost = mark === ':' && user !== '';
    if (mayBeHost && matchEnd(port, text, after) !== undefined) return undefined;
    const hasPath = mayBeHost && matchEnd(portAndPath, text, after) !== undefined;
    const scheme = text.slice(Math.max(0, index - 5), index);
    if (hasPath && (user.includes('.') || webScheme.test(scheme))) return undefined;
    const from = mark === '@' ? after - 1 : after;
    const searched = text.slice(0, from + maxPassword);
    let at = lastHost(searched.slice(from, unquotedEnd(searched, from, oneWord)));
    if (at === -1) {
      if (hasPath) return undefined;
      // A password may contain spaces, quotes and line feeds; one that was read from a file ends with the file's line feed.
      const first = from + searched.slice(from).search(hostAfter);
      if (first < from || otherLine.test(searched.slice(from, first))) return undefined;
      at = first - from + lastHost(searched.slice(first, unquotedEnd(searched, first, oneWord)));
    }
    return [index + 3, from + at];
  });

/** The last `@` before a host; -1 if there is none. */
const lastHost = (text: string) => [...text.matchAll(hostAfter)].at(-1)?.index ?? -1;

// The last word counts: passwordLength and token_type are facts about a secret.
const suffix = '(?:_(?:value|string|base|hash|id))?_?\\d{0,3}$';
const keyKinds =
  'api|access|secret|private|account|shared|signing|encryption|decryption|master|auth|subscription|license|storage|ssh|deploy|hmac|session|admin|app|service|webhook|functions';
const strong = new RegExp(
  `(?:passw(?:or[dt]|d)|passphrase|passcode|pwd|secret|credentials?|пароль|(?:${keyKinds})_?key|(?:^|_)(?:pass|pw|creds?|jwt))${suffix}`,
);
/** Names that have other meanings too: after a colon, their value must look like a secret. */
const weak = new RegExp(
  `(?:token|signature|bearer|(?:^|_)(?:auth|oauth|session|sig|otp|pin|cvv|cvc)|sess(?:ion)?_?id|connect_sid)${suffix}`,
);
const header = /(?:^|_)(?:authorization|(?:set_)?cookies?)$/;

function strengthOf(name: string): 'strong' | 'weak' | 'header' | undefined {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[ .$_-]+/g, '_')
    .replace(/_$/, '');
  if (header.test(words)) return 'header';
  if (strong.test(words)) return 'strong';
  return weak.test(words) ? 'weak' : undefined;
}

/** Whether the value of this name must not be shown: `db_pass`, `X-Api-Key`, `clientSecret`. */
export const isSecretName = (name: string): boolean => strengthOf(name) !== undefined;

/** Words after a colon in a sentence about a secret: "password: must not be empty". */
const prose = new Set(
  'a an the this that it is was are were be been has have had do does did must should shall may might can cannot could will would not no none yes on off ok and or but for from of in into at to by with without as if too very null nil undefined true false nan empty blank missing required optional invalid valid wrong incorrect bad unexpected expected expired unknown unsupported unauthorized denied refused rejected failed error please use using used set unset given length minimum maximum only string number boolean object function array value field enter contains need needs already never always changed updated removed deleted disabled enabled default redacted authentication authorization auth token scheme credentials realm header access malformed mismatch success successful basic bearer found you your'.split(
    ' ',
  ),
);
/** A small number, a place in a file, the placeholder of a manual. */
const notValue = /^(?:\d{1,3}[,;.)\]}]?|\d{1,7}:\d{1,7}\)?|\[object.*|<[^>]{0,40}>?)$/;

function isProse(word: string): boolean {
  return notValue.test(word) || prose.has(word.toLowerCase().replace(/[.,;:!?)\]}"'`]{1,3}$/, ''));
}

/** A digit, a capital after a small letter, or too long to be read. */
const looksRandom = (word: string): boolean =>
  (word.length >= 6 && /\d|[a-z][A-Z]|[A-Za-z][+/=]/.test(word)) || word.length >= 24;

/** A name of one or two words, the quotes and brackets after it, and what stands between it and its value. */
const pair =
  /(?:\\[nrt]|(?<![\p{L}\w.$-]))((?:[A-Za-z]{1,10} )?[\p{L}\w.$-]+)(?:\\{0,63}["'`])?\]?(?:\\{0,63}["'`])?[ \t]{0,4}(=>|[:=]{1,3})([ \t]{0,8})/gu;
const authScheme = /(?:Basic|Bearer|Token|Api-?Key|Digest|Negotiate)[ \t]{1,3}/iy;
const gone = /\*\*\*(?!\w)/y;

/** `password=…`, `"db_password": "…"`, `X-Api-Key: …`, `Authorization: …`: the whole value, or nothing of it. */
export const withoutSecretValues = (text: string): string =>
  hide(text, pair, ({ 1: name = '', 2: mark = '', 3: space = '' }, after) => {
    const strength = strengthOf(name);
    if (strength === undefined) return undefined;
    const from = (strength === 'header' ? matchEnd(authScheme, text, after) : undefined) ?? after;
    if (from === text.length || /[\r\n]/.test(text.charAt(from))) return undefined;
    // token://, and what is hidden already.
    if (text.startsWith('//', from) || matchEnd(gone, text, from) !== undefined) return undefined;
    const quote = quoteAt(text, from);
    if (quote !== '') {
      const end = quotedEnd(text, from, quote);
      return end - from > 2 * quote.length ? [from, end] : undefined;
    }
    const word = text.slice(from, from + 64).split(/[\s,;]/, 1)[0] ?? '';
    if (isProse(word)) return undefined;
    if (/[[{]/.test(word.charAt(0))) return [from, groupEnd(text, from)];
    if (strength === 'header') return [from, unquotedEnd(text, from, line)];
    if (strength === 'weak' && mark === ':' && !looksRandom(word)) return undefined;
    // After a space, the value may contain spaces too.
    return [from, unquotedEnd(text, from, space === '' ? wordBeforeName : lineBeforeName)];
  });

const bearer = /\b(Bearer|Basic)([ \t]{1,3})([\w.~+/=:-]{8,})/gi;

/** `Bearer …` without the name of a header before it. */
export const withoutBearers = (text: string): string =>
  text.replace(bearer, (whole, name: string, space: string, value: string) =>
    looksRandom(value) && !/^[a-z_]{3,30}=/.test(value) ? `${name}${space}${hidden}` : whole,
  );

/** A JSON web token, and the prefixes of AWS, Google, GitHub, GitLab, npm, Slack, Stripe, OpenAI, SendGrid and Hugging Face. */
const tokens =
  /(?<![A-Za-z0-9])(?:eyJ[\w-]{5,}(?:\.[\w-]*){0,4}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|npm_[A-Za-z0-9]{16,}|xox[a-z](?:\.xox[a-z])?-[\w-]{8,}|[rsp]k_(?:live|test)_\w{8,}|whsec_[\w+/=]{12,}|sk-[\w-]{16,}|SG\.[\w.-]{16,}|hf_[A-Za-z0-9]{16,})/g;

export const withoutTokens = (text: string): string => text.replace(tokens, hidden);

// Where a value ends: never before its end, rather after it.

const opening = /\\{0,63}["'`]/y;

/** The quote at a place, with the backslashes that JSON in JSON has before it; empty if there is none. */
const quoteAt = (text: string, at: number) => text.slice(at, matchEnd(opening, text, at) ?? at);

/** Where a string ends: after the quote that closes it, or with the text. Quotes in it are doubled, have more backslashes, or a letter after them. */
function quotedEnd(text: string, from: number, quote: string): number {
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
    else if (!/[\p{L}\p{N}_]/u.test(text.charAt(at + 1))) return at + 1;
  }
  return text.length;
}

function groupEnd(text: string, from: number): number {
  const marks = /\\{0,63}["'`]|[[\]{}]/g;
  marks.lastIndex = from;
  let depth = 0;
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const mark = match[0];
    if (mark === '[' || mark === '{') depth += 1;
    else if (mark === ']' || mark === '}') depth -= 1;
    else marks.lastIndex = quotedEnd(text, match.index, mark);
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}

// A value without quotes: quotes may be in it, but not one that closes the string around it. With `nextName`, it ends before the next name.
const inner = '["\'`](?![\\s,;:)\\]}>\\\\"\'`]|$)';
const string = '(?<=[=\\s,:([{])(\\\\{0,63}["\'`])[^\\n"\'`]*\\1';
const nextName = '(?![,;&]\\s?["\'\\\\]{0,8}[\\w.$-]{1,40}["\'\\\\]{0,8}\\s?[=:])';
const oneWord = new RegExp(`(?:[^\\s"'\`]|${inner})*`, 'y');
const wordBeforeName = new RegExp(`(?:${nextName}(?![,;](?:\\s|$))(?:[^\\s"'\`]|${inner}))*`, 'y');
const line = new RegExp(`(?:${string}|[^\\r\\n"'\`]|${inner})*`, 'y');
const lineBeforeName = new RegExp(`(?:${nextName}(?:${string}|[^\\r\\n"'\`]|${inner}))*`, 'y');

function unquotedEnd(text: string, from: number, pattern: RegExp): number {
  let end = matchEnd(pattern, text, from) ?? from;
  // A quote that was not open before the value closes nothing.
  while (/["'`]/.test(text.charAt(end)) && text.lastIndexOf(text.charAt(end), from - 1) === -1)
    end = matchEnd(pattern, text, end + 1) ?? end + 1;
  return end;
}
