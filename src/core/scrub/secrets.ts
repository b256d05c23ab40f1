// What a secret looks like in a text. Every search takes time in proportion to the text: it consumes what it has looked at, or looks at a bounded part.

/** The placeholder for a secret that was taken out of a text. */
const hidden = '***';

/** Hides what begins where a pattern matches, from left to right; nothing of a match for which there is no range. */
export function hide(
  text: string,
  begin: RegExp,
  rangeOf: (found: RegExpExecArray, after: number) => readonly [from: number, to: number] | undefined,
): string {
  let done = '';
  let at = 0;
  begin.lastIndex = 0;
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    const range = rangeOf(found, begin.lastIndex);
    if (range === undefined) continue;
    done += text.slice(at, range[0]) + hidden;
    at = range[1];
    begin.lastIndex = at;
  }
  return at === 0 ? text : done + text.slice(at);
}

const keyBegin = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-{4,5}/g;
const keyEnd = /-{4,5} ?END [A-Z0-9 ]{1,40}-{4,5}/g;

/** Private keys in PEM, also if their end was cut off. */
export const withoutPrivateKeys = (text: string): string =>
  hide(text, keyBegin, ({ index }, after) => {
    keyEnd.lastIndex = after;
    return [index, keyEnd.test(text) ? keyEnd.lastIndex : text.length];
  });

const scheme = /[a-z\d+.-]:\/\//gi;
/** A user before its password, or a host before its port. */
const user = /[^\s/?#'"`<>(){}|\\:@]{0,256}/y;
/** A port and the path after it: the password of `u:123/4@host` is rarer than that. */
const port = /\d{1,5}[/?#]/y;
const portInText = /\d{2,5}(?:[\s"'`<>(){}|\\,;:.]|$)/y;
const webScheme = /(?:^|[^a-z])(?:https?|wss?)$/i;
const hostAfter = /@[\w.[*\u0080-\uffff-]/;
/** What no password contains: another URL, a frame of a stack, a line of several words. */
const otherLine = /:\/\/|\n\s{1,8}at |\n[^\n]{0,256}\S \S/;

/** postgres://user:p@ss/word@host: user and password go, the host helps the operator. */
export function withoutLogins(text: string): string {
  const run = { end: 0, at: -1 };
  return hide(text, scheme, (_found, from) => {
    const at = loginEnd(text, from, run);
    return at === -1 ? undefined : [from, at];
  });
}

const oneWord = { spaces: false, names: false };

/** The index of the @ that ends user and password; -1 if there are none. */
function loginEnd(text: string, from: number, run: { end: number; at: number }): number {
  user.lastIndex = from;
  const name = user.exec(text)?.[0] ?? '';
  const after = from + name.length;
  const mark = text.charAt(after);
  if (mark !== '@' && mark !== ':') return -1;
  // The last @ before a space or a closing quote: looked for once for all URLs up to there.
  if (from > run.end) {
    run.end = unquotedEnd(text, from, oneWord);
    const at = text.slice(from, run.end).lastIndexOf('@');
    run.at = at === -1 ? -1 : from + at;
  }
  const last = run.at < from ? -1 : run.at;
  // `git@` is not a secret.
  if (mark === '@') return name === 'git' && last === after ? -1 : last;
  if (isAt(portInText, text, after + 1)) return -1;
  if (isAt(port, text, after + 1) && isHost(text, from - 3, name)) return -1;
  if (last > after && hostAfter.test(text.slice(last, last + 2))) return last;
  const spaced = spacedEnd(text, after + 1);
  return spaced === -1 && last > after ? last : spaced;
}

function isHost(text: string, schemeEnd: number, name: string): boolean {
  const before = text.slice(Math.max(0, schemeEnd - 8), schemeEnd);
  return webScheme.test(before) || name === 'localhost' || /[\w-]\.[\w-]/.test(name);
}

/** A password may have spaces, quotes and line feeds in it; one that was read from a file has the line feed of that file. */
function spacedEnd(text: string, from: number): number {
  if (/^[ "'`]?$/.test(text.charAt(from))) return -1;
  const rest = text.slice(from, from + 256);
  const at = rest.search(hostAfter);
  if (at === -1 || otherLine.test(rest.slice(0, at))) return -1;
  return text.lastIndexOf('@', unquotedEnd(text, from + at, oneWord) - 1);
}

/** How sure a name makes us that its value is a secret: of a weak one, a word after a colon must look like a secret too. */
type Strength = 'strong' | 'weak' | 'header' | undefined;

// The last word counts: passwordLength and token_type are facts about a secret.
const suffix = '(?:_(?:value|string|base|hash|id))?_?\\d{0,3}$';
const keyKinds =
  'api|access|secret|private|account|shared|signing|encryption|decryption|master|auth|subscription|license|storage|ssh|deploy|hmac|session|admin|app|service|webhook|functions';
const strong = new RegExp(
  `(?:passw(?:or[dt]|d)|passphrase|passcode|pwd|secret|credentials?|kennwort|contraseña|senha|пароль|密码|(?:${keyKinds})_?key|(?:^|_)(?:pass|pw|creds?|jwt))${suffix}`,
);
const weak = new RegExp(
  `(?:token|signature|bearer|(?:^|_)(?:auth|oauth|session|sig|otp|pin|cvv|cvc)|sess(?:ion)?_?id|connect_sid)${suffix}`,
);
const header = /(?:^|_)(?:authorization|(?:set_)?cookies?)$/;
const stems =
  /pass|p(?:ass)?w|secret|cred|key|token|sig|auth|sess|sid|otp|jwt|cookie|bearer|pin|cv[vc]|wort|contras|senha|парол|密码/i;

function strengthOf(name: string): Strength {
  if (!stems.test(name)) return undefined;
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[.$-]+/g, '_')
    .replace(/_+$/, '');
  if (header.test(words)) return 'header';
  if (strong.test(words)) return 'strong';
  return weak.test(words) ? 'weak' : undefined;
}

/** Whether the value of this name must not be shown: `db_pass`, `X-Api-Key`, `clientSecret`. */
export const isSecretName = (name: string): boolean => strengthOf(name) !== undefined;

/** Words that follow a colon in a sentence about a secret: "password: must not be empty". */
const prose = new Set(
  'a an the this that it is was are were be been has have had do does did must should shall may might can cannot could will would not no none yes on off ok and or but for from of in into at to by with without as if too very null nil undefined true false nan empty blank missing required optional invalid valid wrong incorrect bad unexpected expected expired unknown unsupported unauthorized denied refused rejected failed error please use using used set unset given length minimum maximum only string number boolean object function array value field enter contains need needs already never always changed updated removed deleted disabled enabled default redacted hidden masked authentication authorization auth token scheme credentials realm header access malformed mismatch success successful basic bearer found you your ist muss doit est es debe'.split(
    ' ',
  ),
);

const isProse = (word: string): boolean =>
  word.length <= 24 && prose.has(word.toLowerCase().replace(/[.,;:!?)\]}"'`]{1,3}$/, ''));

/** Whether a word is more than a word: a digit, a capital after a small letter, or too long to be read. */
const looksRandom = (word: string): boolean =>
  (word.length >= 6 && /\d|[a-z][A-Z]|[A-Za-z][+/=]/.test(word)) || word.length >= 24;

/** A name with the quotes and brackets after it, and what stands between it and its value. */
const pair =
  /(?<![\p{L}\w.$-])([\p{L}\w.$-]+)(?:\\{0,63}["'`])?\[?\]{0,2}(?:\\{0,63}["'`])?[ \t]{0,4}(=>|[:=]{1,3})([ \t]{0,8})/gu;
const gone = /\*\*\*(?:[\s,;:)\]}&@\\>."'`<+%]|$)/y;
const emptyValue = /[\w.-]{1,40}=[^=\s]/y;
const authScheme = /(?:Basic|Bearer|Token|Api-?Key|Digest|Negotiate)[ \t]{1,3}/iy;
/** { enabled: true, min: 8 } */
const settings =
  /^\{\s{0,3}(?:["'\\]{0,8}[\w-]{1,40}["'\\]{0,8}\s{0,3}:\s{0,3}(?:true|false|null|undefined|\d{1,3})\s{0,3},?\s{0,3}){0,20}\}$/;

/** The block of YAML. */
const block = /[|>][+-]?(?:\n[ \t][^\n]*|\\{1,63}n[ \t](?:[^\\\n]|\\{1,63}[^\\n])*)+/y;
/** A small number, a place in a file, the placeholder of a manual. */
const notValue = /^(?:\d{1,3}[,;.)\]}]?|\d{1,7}:\d{1,7}\)?|\[object|<[^>]{0,40}>?)$/;

/** password=…, "db_password": "…", X-Api-Key: …, Authorization: …: the whole value, or nothing of it. */
export const withoutSecretValues = (text: string): string =>
  hide(text, pair, ({ index, 1: name = '', 2: mark = '', 3: space = '' }, from) => {
    const known = strengthOf(nameIn(text, index, name));
    if (known === undefined) return undefined;
    const strength = known === 'weak' && mark === ':' && name.includes('-') ? 'header' : known;
    const start = strength === 'header' && isAt(authScheme, text, from) ? authScheme.lastIndex : from;
    const to = secretEnd(text, start, mark, space, strength);
    return to === undefined ? undefined : [start, to];
  });

/** The name, without the line feed that JSON has written before it; of "API key" both words, and `key` of a query is one of an API. */
function nameIn(text: string, at: number, name: string): string {
  const before = text.charAt(at - 1);
  if (before === '\\' && /^[nrt]./.test(name)) return name.slice(1);
  if (name.toLowerCase() !== 'key') return name;
  if (/[?&]/.test(before)) return 'api_key';
  return `${/[A-Za-z]{1,10} $/.exec(text.slice(Math.max(0, at - 11), at))?.[0].trim() ?? ''}_key`;
}

/** Where the secret that begins at `from` ends; undefined if there is none. */
function secretEnd(
  text: string,
  from: number,
  mark: string,
  space: string,
  strength: Exclude<Strength, undefined>,
): number | undefined {
  if (from >= text.length || /[\r\n]/.test(text.charAt(from)) || isAt(gone, text, from)) return undefined;
  // token://, and a name whose value was left out: `password= host=db`.
  if (mark === ':' && text.startsWith('//', from)) return undefined;
  if (mark === '=' && space !== '' && isAt(emptyValue, text, from)) return undefined;
  if (isAt(block, text, from)) return block.lastIndex;
  const quote = quoteAt(text, from);
  if (quote !== '') {
    const end = quotedEnd(text, from, quote);
    return end - from > 2 * quote.length ? end : undefined;
  }
  if (/[[{]/.test(text.charAt(from)) && !text.startsWith('[object ', from)) {
    const end = groupEnd(text, from);
    return settings.test(text.slice(from, Math.min(end, from + 500))) ? undefined : end;
  }
  const end = unquotedEnd(text, from, { spaces: false, names: true });
  const word = text.slice(from, Math.min(end, from + 64));
  if (isProse(word) || notValue.test(word)) return undefined;
  if (strength === 'header') return unquotedEnd(text, from, { spaces: true, names: false });
  if (strength === 'weak' && mark === ':' && !looksRandom(word)) return undefined;
  // After a space, the value may have spaces too.
  return space === '' ? end : unquotedEnd(text, from, { spaces: true, names: true });
}

const bearer = /\b(Bearer|Basic)([ \t]{1,3})([\w.~+/=:-]{8,})/gi;

/** `Bearer …` without the name of a header before it. */
export const withoutBearers = (text: string): string =>
  text.replace(bearer, (whole, name: string, space: string, value: string) =>
    looksRandom(value) && !/^[a-z_]{3,30}=/.test(value) ? `${name}${space}${hidden}` : whole,
  );

/** A JSON web token, and the beginnings by which AWS, Google, GitHub, GitLab, npm, Slack, Stripe, OpenAI, SendGrid and Hugging Face mark theirs. */
const tokens =
  /(?<![A-Za-z0-9])(?:eyJ[\w-]{5,}(?:\.[\w-]*){0,4}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|npm_[A-Za-z0-9]{16,}|xox[a-z](?:\.xox[a-z])?-[\w-]{8,}|[rsp]k_(?:live|test)_\w{8,}|whsec_[\w+/=]{12,}|sk-[\w-]{16,}|SG\.[\w.-]{16,}|hf_[A-Za-z0-9]{16,})/g;

export const withoutTokens = (text: string): string => text.replace(tokens, hidden);

// Where a value ends: never before its end, rather after it. Its end depends on how it is written.

function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

const opening = /\\{0,63}["'`]/y;

/** The quote at a place, with the backslashes that JSON in JSON has before it; empty if there is none. */
function quoteAt(text: string, at: number): string {
  opening.lastIndex = at;
  return opening.exec(text)?.[0] ?? '';
}

/** The text after the quote that ends a string, also one that is in another. */
const afterString = /(?:[\s,;:)\]}>&+|.]|\\{1,63}[nrt"'`]|["'`](?:[\s,;:)\]}]|$)|$)/y;

/** Where a string in quotes ends: after the quote that closes it, or with the text if none does. Quotes in the value are doubled or escaped, or nothing follows them that follows a string. */
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
    else if (isAt(afterString, text, at + 1)) return at + 1;
  }
  return text.length;
}

/** Where a list or an object ends. */
function groupEnd(text: string, from: number): number {
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
function unquotedEnd(text: string, from: number, { spaces, names }: Unquoted): number {
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
