import { type Family, hidden, Scrubbed } from './family.js';
import { hints } from './hints.js';
import { runEnd } from './values.js';

const scheme = /[a-z\d+.-]:\/\//gi;
/** A user before its password, or a host before its port. */
const user = /[^\s/?#'"`<>(){}|\\,:@]{0,256}/y;
/** A port and the path after it: the password of `u:123/4@host` is rarer than that. */
const port = /\d{1,5}[/?#]/y;
const portInText = /\d{2,5}(?:[\s"'`<>(){}|\\,;:.]|$)/y;
const webScheme = /(?:^|[^a-z])(?:https?|wss?)$/i;
const hostAfter = /@[\w.[*\u0080-\uffff-]/;

/** A part of a text without spaces, and the last @ in it; looked for once for all that begins in it. */
class Run {
  #end = 0;
  #at = -1;

  /** The index of the last @ of the run that `from` is in; -1 if there is none after `from`. */
  lastAt(text: string, from: number): number {
    if (from > this.#end) {
      this.#end = runEnd(text, from);
      const at = text.slice(from, this.#end).lastIndexOf('@');
      this.#at = at === -1 ? -1 : from + at;
    }
    return this.#at < from ? -1 : this.#at;
  }
}

/** postgres://user:p@ss/word@host: user and password go, the host helps the operator. */
export const urls: Family = {
  name: 'URL with a password',
  hint: hints.urls,
  scrub(text) {
    const scrubbed = new Scrubbed(text);
    const run = new Run();
    scheme.lastIndex = 0;
    for (let found = scheme.exec(text); found !== null; found = scheme.exec(text)) {
      const from = found.index + 4;
      const at = loginEnd(text, from, run);
      if (at === -1) continue;
      scrubbed.hide(from, at);
      scheme.lastIndex = at;
    }
    return scrubbed.toString();
  },
};

/** The index of the @ that ends user and password; -1 if there are none. */
function loginEnd(text: string, from: number, run: Run): number {
  user.lastIndex = from;
  const name = user.exec(text)?.[0] ?? '';
  const after = from + name.length;
  const mark = text.charAt(after);
  if (mark !== '@' && mark !== ':') return -1;
  const last = run.lastAt(text, from);
  // `git@` is not a secret.
  if (mark === '@') return name === 'git' && last === after ? -1 : last;
  if (isAt(portInText, text, after + 1)) return -1;
  if (isAt(port, text, after + 1) && isHost(text, from - 3, name)) return -1;
  return last > after ? last : spacedEnd(text, after + 1);
}

function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function isHost(text: string, schemeEnd: number, name: string): boolean {
  const before = text.slice(Math.max(0, schemeEnd - 8), schemeEnd);
  return webScheme.test(before) || name === 'localhost' || /[\w-]\.[\w-]/.test(name);
}

/** Texts that no password contains: another URL, a frame of a stack, a line of several words. */
const otherLine = /:\/\/|\n\s{1,8}at |\n[^\n]{0,256}\S \S/;

/** A password may have spaces, quotes and line feeds in it. */
function spacedEnd(text: string, from: number): number {
  if (/^[ "'`]?$/.test(text.charAt(from))) return -1;
  // One that was read from a file may have the line feed of that file in it.
  const rest = text.slice(from, from + 256);
  const at = rest.search(hostAfter);
  return at === -1 || otherLine.test(rest.slice(0, at)) ? -1 : from + at;
}

/** Words before a colon that make no user of it: mailto:, npm: aliases and their like. */
const noUsers = new Set(
  'mailto to from cc bcc npm pkg file git image node sip sips xmpp acct email mail e-mail author reply-to contact owner sender recipient http https workspace patch portal link github gitlab docker docker-image by'.split(
    ' ',
  ),
);
const start = /(?:^|[\s"'`(=,;<>[{|]|\/\/)([\w.%+-]{1,64}):(?!\/\/|\d{2,5}[/?#])(?=[^\s@])/g;

/** user:password@host and user:password@tcp(host)/db, without a scheme. */
export const logins: Family = {
  name: 'user:password@host',
  hint: hints.logins,
  scrub(text) {
    const scrubbed = new Scrubbed(text);
    const run = new Run();
    start.lastIndex = 0;
    for (let found = start.exec(text); found !== null; found = start.exec(text)) {
      const [whole, name = ''] = found;
      const value = found.index + whole.length;
      const at = run.lastAt(text, value);
      if (at <= value || !isLogin(text, name, value, at)) continue;
      scrubbed.hide(value - name.length - 1, at);
      start.lastIndex = at;
    }
    return scrubbed.toString().replace(oracle, hidden);
  },
};

/** scott/tiger@//host:1521/service */
const oracle = /(?<![\w/.$#])[\w$#]{1,30}\/[^\s@/]{1,64}(?=@\/\/)/g;

function isLogin(text: string, name: string, value: number, at: number): boolean {
  if (noUsers.has(name.toLowerCase())) return false;
  // `Server=…;Pwd=…` is a list of names and values.
  if (
    text.charAt(value - name.length - 2) === '=' &&
    /;[\w ]{1,40}=/.test(text.slice(value, Math.min(at, value + 256)))
  )
    return false;
  // At 12:30@noon, image:tag@sha256:…
  if (/^\d{1,2}$/.test(name) && /^\d\d(?::\d\d)?(?:\.\d{1,9})?@/.test(text.slice(value, value + 20)))
    return false;
  return /^@(?!sha\d{3}:)[\w[*\u0080-\uffff]/.test(text.slice(at, at + 8));
}

/** Addresses whose path is the secret: anyone who knows it can post. */
const secretPaths =
  /(hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/|api\.telegram\.org\/(?:file\/)?bot|office\.com\/webhookb?2?\/|hooks\.zapier\.com\/hooks\/catch\/|\/with\/key\/|events\.pagerduty\.com\/integration\/|\.make\.com\/)[\w@.:/+=%~-]+/gi;
const secretSegments =
  /(\bhooks?\.[\w.-]{1,60}\/(?:[a-z]{1,20}\/)?|\/(?:hooks?|webhooks?|webhookb2|reset|reset-password|password-reset|verify|verify-email|confirm|invite|invitation|magic-link|activate|unsubscribe|ping|heartbeat|tokens?|sessions?)\/)([\w.~=%-]{16,})/gi;

export const paths: Family = {
  name: 'secret in the path of a URL',
  hint: hints.paths,
  scrub: (text) =>
    text
      .replace(secretPaths, `$1${hidden}`)
      .replace(secretSegments, (whole, before: string, segment: string) =>
        /\d/.test(segment) && /[a-z]/i.test(segment) ? `${before}${hidden}` : whole,
      ),
};
