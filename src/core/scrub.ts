/** What stands for a secret that was taken out of a text. */
const hidden = '***';

// Every repetition is bounded: a text made to be slow to search must not block the event loop.
const patterns: readonly (readonly [RegExp, string])[] = [
  // postgres://user:p@ss/word@host/db: all before the last @ goes, the host helps the operator.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s'"`]{0,1000}@/gi, `$1${hidden}@`],
  // user:password@tcp(host)/db and user:password@host:port, without a scheme.
  [/(^|[\s'"`(=])[\w.+-]{1,64}:[^\s'"`@/]{1,256}@(?=[\w.-]{1,255}[(:/])/g, `$1${hidden}@`],
  // password=…, "db_password": "…", PGPASSWORD=…, pwd: …
  [
    /((?:password|passwd|passphrase|pwd|secret)\w{0,30}["']?\s{0,3}[=:]\s{0,3})("[^"]{0,1000}"|'[^']{0,1000}'|[^\s,;&]+)/gi,
    `$1${hidden}`,
  ],
  // "Unexpected token: x" is a sentence: these words need an equals sign or a quoted value.
  [
    /((?:token|api[-_]?key|access[-_]?key|authorization|cookie|session|credential)\w{0,30}["']?\s{0,3}(?:=\s{0,3}|:\s{0,3}(?=["'])))("[^"]{0,1000}"|'[^']{0,1000}'|[^\s,;&]+)/gi,
    `$1${hidden}`,
  ],
  [/\b(bearer|basic|digest|negotiate)\s{1,3}[\w.~+/=-]{8,}/gi, `$1 ${hidden}`],
  // JSON web tokens, keys of AWS, GitHub, Slack, Stripe and others, private keys.
  [/\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/g, hidden],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, hidden],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abpr]-|[rs]k_(?:live|test)_|npm_)[\w-]{10,}/g, hidden],
  [/-----BEGIN [A-Z ]{1,40}-----[^]*?(?:-----END [A-Z ]{1,40}-----|$)/g, hidden],
];

/** Characters one of which stands in everything the patterns can match. */
const suspicious = /[:=@]|eyJ|AKIA|ASIA|_|-----|basic|bearer|digest|negotiate|xox|glpat/i;

/** The text without credentials: what a driver puts into an error must not reach a client or a log. */
export function scrub(text: string): string {
  if (!suspicious.test(text)) return text;
  let scrubbed = text;
  for (const [pattern, replacement] of patterns) scrubbed = scrubbed.replace(pattern, replacement);
  return scrubbed;
}

/** The text without credentials and no longer than `longest` characters. */
export function clean(text: string, longest: number): string {
  // Beyond four times of what is shown nothing is looked at: a text of megabytes must not block the event loop.
  const scrubbed = scrub(text.length > 4 * longest ? text.slice(0, 4 * longest) : text);
  return scrubbed.length > longest ? `${scrubbed.slice(0, longest)}…` : scrubbed;
}

const longest = 500;
const unshowable = 'something that cannot be shown';

/** What was thrown, as text: scrubbed, shortened, never a stack. Never throws itself. */
export function textOf(thrown: unknown): string {
  try {
    return clean(String(thrown instanceof Error ? reason(thrown) : thrown), longest);
  } catch {
    return unshowable;
  }
}

/** The same on one line and with the class of the error: `TypeError: x is not a function`. */
export function describe(thrown: unknown): string {
  const text = textOf(thrown).replace(/\s+/g, ' ').trim();
  try {
    return thrown instanceof Error ? `${thrown.constructor.name}: ${text}` : text;
  } catch {
    return text;
  }
}

/** A refused connection is an AggregateError without a text: its code or its first error tells. */
function reason(error: Error): unknown {
  if (error.message !== '') return error.message;
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0].message;
  return 'code' in error ? error.code : 'no reason given';
}
