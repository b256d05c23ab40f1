import { isError, isObject, textIn } from '../objects.js';
import { attempt } from '../runtime.js';
import { withoutFolders } from './printable.js';
import { withoutDatabaseWords } from './database.js';
import {
  withoutBearers,
  withoutLogins,
  withoutPrivateKeys,
  withoutRows,
  withoutSecretValues,
  withoutTokens,
} from './secrets.js';

/** Each removes one kind of secret from a text. In this order: one must not remove half of another's match. */
export const families: readonly { readonly name: string; readonly scrub: (text: string) => string }[] = [
  { name: 'rows and values', scrub: withoutRows },
  { name: 'private key', scrub: withoutPrivateKeys },
  { name: 'URL with a password', scrub: withoutLogins },
  { name: 'name and value', scrub: withoutSecretValues },
  { name: 'Bearer and Basic', scrub: withoutBearers },
  { name: 'token', scrub: withoutTokens },
];

function scrubWhole(text: string): string {
  return families.reduce((scrubbed, family) => family.scrub(scrubbed), text);
}

/** Every text that holds a secret or a row has one of these; most texts have none. */
const hint =
  /[:=]|---- ?BEGIN |bearer|basic|row contains|entry \\{0,8}'|parameters|eyJ|AKIA|ASIA|AIza|gh[pousr]_|github_pat_|glpat-|npm_|xox|k_(?:live|test)_|whsec_|sk-|SG\.|hf_/i;
/** No text is searched further than this: the rest is cut off. */
const maxDistance = 16_384;
/** A secret at the cut may need this many more characters to be recognised (the host after a password). */
const margin = 1024;

/** The text without credentials: those in driver errors must not reach a client or a log. */
export function scrub(text: string): string {
  return clean(text, maxDistance);
}

/** The text without credentials and no longer than `maxLength` characters. */
export function clean(text: string, maxLength: number): string {
  if (text.length <= maxLength && !hint.test(text)) return text;
  // Secrets may take up most of a text: more is searched than is shown.
  const searched = Math.min(4 * maxLength, maxDistance) + margin;
  if (text.length <= searched) return cut(scrubWhole(text), maxLength);
  const scrubbed = scrubWhole(text.slice(0, searched));
  // Half of a secret at the cut does not look like one, so the end of the searched part is never shown.
  return `${cut(scrubbed.slice(0, Math.max(0, scrubbed.length - margin)), maxLength, '')}…`;
}

export function cut(text: string, maxLength: number, end = '…'): string {
  if (text.length <= maxLength) return text;
  // Not between the halves of one character.
  const isHalf = (text.charCodeAt(maxLength - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isHalf ? maxLength - 1 : maxLength) + end;
}

const maxLength = 500;

/** The error as text: scrubbed, shortened, never a stack. Never throws itself. */
export function textOf(thrown: unknown): string {
  return attempt(() => clean(messageOf(thrown), maxLength)) ?? 'something that cannot be shown';
}

/** The same on one line and with the class of the error: `TypeError: x is not a function`. */
export function describe(thrown: unknown, text = textOf(thrown)): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const type = attempt(() => isError(thrown) && clean(thrown.constructor.name, 100));
  return typeof type === 'string' ? `${type}: ${line}` : line;
}

/** For responses that anyone may read: without the texts of databases, and paths of files are reduced to their last part. */
export function describePublicly(thrown: unknown): string {
  const text = attempt(() => clean(withoutDatabaseWords(messageOf(thrown), thrown), maxLength));
  return withoutFolders(describe(thrown, text ?? 'something that cannot be shown'), pathsOf(thrown));
}

/** A refused connection is an AggregateError without a text: its code or its first error has one. */
function messageOf(thrown: unknown): string {
  if (!isError(thrown)) return String(thrown);
  const errors: unknown = 'errors' in thrown ? thrown.errors : undefined;
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  for (const error of [thrown, first]) if (isError(error) && error.message !== '') return error.message;
  return 'code' in thrown ? String(thrown.code) : 'no reason given';
}

/** The paths that an error of a file system carries: they may have spaces in them. */
function pathsOf(thrown: unknown): readonly string[] {
  return isObject(thrown) ? ['path', 'dest'].flatMap((name) => textIn(thrown, name) ?? []) : [];
}
