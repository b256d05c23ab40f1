import type { IncomingHttpHeaders } from 'node:http';
import { families } from '../../../src/tools.js';
import { parseObject } from '../json.js';

/** No body is searched further than this; one that is longer fails the rule for its size. */
const searched = 256 * 1024;

/** Which kind of secret a text has; undefined for none. */
function kindIn(text: string): string | undefined {
  const plain = text.includes('%3A%2F%2F') || text.includes('%40') ? unescaped(text) : text;
  return families.find((one) => one.scrub(plain) !== plain)?.name;
}

/** An address inside of another one: `postgres%3A%2F%2Fapp%3Apassword%40db`. */
const unescaped = (text: string): string =>
  text.replace(/%([2-7][\da-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The kind of secret in a body, and its key; undefined for none. Never the secret itself. */
export function secretIn(body: Buffer): string | undefined {
  const object = parseObject({ body });
  if (object !== undefined) return secretBelow(object, []);
  const kind = kindIn(body.toString('utf8', 0, searched));
  return kind && `the body contains a secret (${kind})`;
}

/** Whose keys are names and ids that users chose: they are not evidence about the values. */
const named = new Set(['checks', 'details', 'messages']);

function secretBelow(value: unknown, path: readonly string[]): string | undefined {
  if (typeof value === 'string') {
    const key = path.at(-1) ?? '';
    const text = value.slice(0, searched);
    const isName = named.has(path.at(-2) ?? '') || /^\d+$/.test(key);
    const kind = kindIn(text) ?? (isName ? undefined : kindIn(JSON.stringify({ [key]: text })));
    return kind && `${path.join('.').slice(0, maxPathLength)} contains a secret (${kind})`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const kind = kindIn(key);
    if (kind !== undefined) return `a key in ${path.join('.') || 'the body'} contains a secret (${kind})`;
    const found = secretBelow(inner, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

const maxPathLength = 200;

/** Headers whose random values are not secret. */
const harmless = new Set(
  'etag date set-cookie x-request-id traceparent tracestate www-authenticate content-security-policy server last-modified'.split(
    ' ',
  ),
);

/** The header that carries a secret, with its kind; undefined for none. */
export function secretHeader(headers: IncomingHttpHeaders): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || harmless.has(name)) continue;
    const kind = kindIn(`${name}: ${String(value)}`);
    if (kind !== undefined) return `the header ${name} contains a secret (${kind})`;
  }
  return undefined;
}

/** Which kind of secret a text of the log has; undefined for none. */
export const secretInText = (text: string): string | undefined => kindIn(text.slice(0, searched));

/** The same for the stack of an error. */
export function traceIn(body: Buffer): string | undefined {
  const language = stackIn(body.toString('utf8', 0, searched));
  return language && `the body contains a stack trace (${language})`;
}

/** A line of a stack, in each language. A line is short, so that none of these can be slow. */
const frames: readonly (readonly [string, RegExp])[] = [
  ['Python', /^Traceback \(most recent call last\)|^\s*File ".+", line \d+(?:, in |$)/],
  ['.NET', /^\s{0,40}at .{1,300}\) in .{1,300}:line \d+|^\s{0,40}at System\.[\w.]{1,300}\(/],
  [
    'Java',
    /^\s*at (?:[\w.]+\/)?[\w.$<>]+\((?:[\w$]+\.(?:java|kt|scala|groovy):\d+|Native Method|Unknown Source)\)/,
  ],
  [
    'JavaScript',
    /^\s{1,40}at .{0,500}:\d{1,9}:\d|^\s{0,40}at .{0,300}\((?:file:|node:|\/|[A-Z]:).{0,300}:\d{1,9}:\d{1,9}\)/,
  ],
  ['Go', /^goroutine \d+ \[|^\s*\S+\.go:\d+ \+0x[0-9a-f]+/],
  ['Ruby', /\.rb:\d+:in [`'"]/],
  ['PHP', /^#\d+ .+(?:\.php\(\d+\)|\{main\})|\bin \S+\.php(?:\(\d+\)|:\d+| on line \d+)/],
  ['Rust', /^thread '.+' panicked at |^\s+at .+\.rs:\d+/],
  ['Elixir', /^\s*\([\w.]+ [\d.]+\) \S+\.exs?:\d+: /],
];
const maxLineLength = 2000;

function stackIn(text: string): string | undefined {
  const plain = text.replace(/\\([nrt"\\/])/g, (_, escaped: string) => escapes[escaped] ?? escaped);
  // Also at the border between two strings of JSON.
  for (const line of plain.split(/[\r\n]+|<br ?\/?>|":\s?"|","/)) {
    const found = frames.find(([, frame]) => frame.test(line.slice(0, maxLineLength)));
    if (found !== undefined) return found[0];
  }
  return undefined;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: '\t' };
