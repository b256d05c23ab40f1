import { type Family, isHidden, Scrubbed } from './family.js';
import { hints } from './hints.js';
import { isProse, strengthOf } from './names.js';
import { valueEnd } from './values.js';

/** --password x, "--password","x" */
const flag = /(?<![\w-])--?([a-z][\w-]{1,40})(?:["'\\]{0,4}\s{0,2},\s{0,2}(?=["'\\])|[ \t]{1,3}(?=[^\s-]))/gi;
/** -u user:password */
const login =
  /(?<![\w-])(?:-u|--user|--proxy-user)(?:["'\\]{0,4}\s{0,2},\s{0,2}|[ \t=]{0,3})(?=["'\\]{0,4}[\w.@+-]{1,64}:(?!\d{1,6}(?!\S)))/g;
/** Commands whose -p or -a or -w is a password. */
const short =
  /\b((?:mysql|mariadb|mongo|sshpass|docker|podman|redis-cli|ldap|7z)[\w-]{0,16}\b(?:(?!\s-[paw]|["']-[paw])[^\n]){0,200}[\s"']-)([paw])(["'\\]{0,4}\s{0,2},\s{0,2}(?=["'\\])|[ \t]{0,3}(?![-\s]))/g;
/** AUTH x of redis, AUTH PLAIN x of SMTP, PASS x of FTP. */
const spoken = /(^|[\n"'`>:(,;]\s{0,2}|\bHELLO \d )(AUTH(?: (?:PLAIN|LOGIN|default))?|PASS) (?=[^\s<])/g;
/** AUTH user x: the second word. */
const authUser = /\bAUTH [\w.@*-]{1,64} (?=[^\s<"'`]{4,200}(?:["'`\n]|$))/g;
/** A line of .pgpass: host:port:database:user:x */
const pgpass =
  /(?<![\w.*:/-])(?=[\d:.]{0,100}[A-Za-z*])[\w.*-]{1,100}:(?:\d{3,5}|\*):[A-Za-z_*][\w*-]{0,63}:[\w.*-]{1,64}:(?=[^\s:])/g;
/** { name: 'auth', args: ['x'] } */
const auth = /\bauth["'\\]{1,8}\s{0,3},\s{0,9}["'\\]{0,8}args["'\\]{0,8}\s{0,3}:\s{0,3}(?=\[)/gi;
/** IDENTIFIED BY 'x', PASSWORD 'x' */
const sql =
  /(?:\b|(?<=\\[nrt]))(?:identified(?: with \w{1,40})? (?:by|as)(?: password)?|password(?: for \S{1,64} =)?|passphrase)(?:(?:\s|\\{1,8}[nrt]){1,9}[=(]?|[=(])(?:\s|\\{1,8}[nrt]){0,9}N?(?=\\{0,8}["'])/gi;
/** machine x login y password z */
const netrc =
  /(?:\b|(?<=\\[nrt]))login(?:\s|\\{1,8}[nrt]){1,6}[^\s\\]{1,100}(?:(?:\s|\\{1,8}[nrt]){1,6}account(?:\s|\\{1,8}[nrt]){1,6}[^\s\\]{1,100})?(?:\s|\\{1,8}[nrt]){1,6}password(?:\s|\\{1,8}[nrt]){1,6}(?=[^\s\\])/g;
/** requirepass x, ENV DB_PASSWORD x, ACL SETUSER app >x */
const configured =
  /\b(?:requirepass|masterauth|(?:ENV|ARG) (\w{1,40})|SETUSER \S{1,64}(?: [^\s>]{1,40}){0,8})[ \t]{1,3}>?(?=\S)/g;
/** "The password is x": only if x is more than a word. */
const sentence = /\b(?:password|passwd|pwd|passphrase|secret|token|api[ _-]?key)\s(?:is|was)\s(?=\S)/gi;
/** name="password" value="x", { name: 'password', value: 'x' }, and the same in YAML and in forms. */
const nameValue =
  /\b(?:key|name|id|field)["'\\]{0,8}\s{0,2}[=:]\s{0,2}["'\\]{0,8}([\w.-]{1,40})["'\\]{0,8}(?:[\s,]{1,20}["'\\]{0,8}value["'\\]{0,8}\s{0,2}[=:]\s{0,2}|(?:\r?\n){2})(?=\S)/gi;
/** 'X-Api-Key', 'x' */
const rawHeader = /(\\{0,63}["'])([\w-]{3,40})\1\s{0,2},\s{0,3}(?=\1)/g;

/** Passwords in command lines, protocols and SQL. */
export const commands: Family = {
  name: 'command',
  hint: hints.commands,
  scrub(text) {
    let scrubbed = each(text, flag, (found) => isSecretFlag(found[1] ?? ''));
    scrubbed = each(scrubbed, login, () => true);
    scrubbed = each(scrubbed, short, (found) => isShortFlag(found));
    scrubbed = each(scrubbed, spoken, (found) => found[2] !== 'PASS' || found[1] !== '');
    scrubbed = each(scrubbed, authUser, () => true);
    scrubbed = each(scrubbed, pgpass, () => true);
    scrubbed = each(scrubbed, auth, () => true);
    scrubbed = each(scrubbed, sql, () => true);
    scrubbed = each(scrubbed, netrc, () => true);
    scrubbed = each(scrubbed, configured, ([, name]) => name === undefined || strengthOf(name) !== undefined);
    scrubbed = each(scrubbed, sentence, (found) => isPassword(scrubbed, found));
    scrubbed = each(scrubbed, nameValue, ([, name = '']) => strengthOf(name) !== undefined);
    return each(scrubbed, rawHeader, (found) => isHeader(found[2] ?? ''));
  },
};

/** Hides the value after each match that is taken. */
function each(text: string, pattern: RegExp, takes: (found: RegExpExecArray) => boolean): string {
  const scrubbed = new Scrubbed(text);
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    if (!takes(found)) continue;
    const from = pattern.lastIndex;
    const to = valueEnd(text, from);
    const value = text.slice(from, Math.min(to, from + 32));
    if (isHidden(text, from) || to <= from || isProse(value)) continue;
    scrubbed.hide(from, to);
    pattern.lastIndex = Math.max(to, from);
  }
  return scrubbed.toString();
}

function isSecretFlag(name: string): boolean {
  const strength = strengthOf(name);
  return strength === 'strong' || strength === 'weak';
}

/** In a list of words `password` may be followed by any other; a header of two words is followed by its value. */
function isHeader(name: string): boolean {
  const strength = strengthOf(name);
  return strength === 'header' || name === 'AUTH' || (strength !== undefined && name.includes('-'));
}

/** Six characters or more, digits and letters. */
function isPassword(text: string, { index, 0: before }: RegExpExecArray): boolean {
  const word = /^\S*/.exec(text.slice(index + before.length, index + before.length + 32))?.[0] ?? '';
  return word.length >= 6 && /\d/.test(word) && /[a-z]/i.test(word);
}

function isShortFlag([, before = '', letter]: RegExpExecArray): boolean {
  if (before.startsWith('redis-cli')) return letter === 'a';
  if (before.startsWith('ldap')) return letter === 'w';
  return letter === 'p' && (!/^(?:docker|podman)/.test(before) || /\blogin\b/.test(before));
}

const element = /<([\w:.-]{1,40})>(?:<!\[CDATA\[)?(?=[^<\s])/g;
const property = /<key>([\w:.-]{1,40})<\/key>(?:\s|\\{1,8}[nr]){0,9}<string>(?=[^<])/g;

/** <password>x</password> */
export const elements: Family = {
  name: 'XML',
  hint: hints.elements,
  scrub: (text) => contents(contents(text, element), property),
};

function contents(text: string, pattern: RegExp): string {
  const scrubbed = new Scrubbed(text);
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    if (strengthOf(found[1] ?? '') === undefined) continue;
    const from = pattern.lastIndex;
    const next = text.indexOf('<', from);
    const end = next === -1 ? text.length : next;
    scrubbed.hide(from, end);
    pattern.lastIndex = end;
  }
  return scrubbed.toString();
}
