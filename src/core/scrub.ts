/** What stands for a secret that was taken out of a text. */
const hidden = '***';

const patterns: readonly (readonly [RegExp, string])[] = [
  // postgres://user:password@host/db: user and password go, the host helps the operator.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@'"]*@/gi, `$1${hidden}@`],
  [
    /\b(password|passwd|pwd|secret|token|api[-_]?key|authorization)(["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&]+)/gi,
    `$1$2${hidden}`,
  ],
];

/** The text without credentials: what a driver puts into an error must not reach a client or a log. */
export function scrub(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement);
  return clean;
}

const longest = 500;

/** What was thrown, as text: scrubbed, shortened, never a stack. Never throws itself. */
export function textOf(thrown: unknown): string {
  let text: string;
  try {
    text = thrown instanceof Error ? reason(thrown) : String(thrown);
  } catch {
    text = 'something that cannot be shown';
  }
  const clean = scrub(text);
  return clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
}

/** The same on one line and with the class of the error: `TypeError: x is not a function`. */
export function describe(thrown: unknown): string {
  const text = textOf(thrown).replace(/\s+/g, ' ').trim();
  return thrown instanceof Error ? `${thrown.constructor.name}: ${text}` : text;
}

/** A refused connection is an AggregateError without a text: its code or its first error tells. */
function reason(error: Error): string {
  if (error.message !== '') return error.message;
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0].message;
  return 'code' in error ? String(error.code) : 'no reason given';
}
