import { type Family, isHidden, Scrubbed } from './family.js';
import { hints } from './hints.js';
import { type RowShape, rowShapes } from './row-shapes.js';

/** Data of customers, as databases and object mappers print it. */
export const rows: Family = {
  name: 'rows and values',
  hint: hints.rows,
  scrub: (text) => withoutValues(text),
};

/** The same. `whole`: the text is one message, without a stack after it that would end a value. */
export function withoutValues(text: string, whole = false): string {
  let shown = text;
  for (const shape of rowShapes) shown = withoutShape(shown, shape, whole);
  return withoutLiterals(withoutArguments(withoutParameters(shown, whole)), whole);
}

function withoutShape(text: string, { start, ends, needsEnd = false }: RowShape, whole: boolean): string {
  const scrubbed = new Scrubbed(text);
  start.lastIndex = 0;
  for (let found = start.exec(text); found !== null; found = start.exec(text)) {
    const from = start.lastIndex;
    const limit = messageEnd(text, from, whole);
    // The last end counts: a value may contain whatever follows a value.
    const to = ends.map((end) => lastIndexOf(end, text, from, limit)).find((index) => index !== -1);
    if (to === undefined && needsEnd) break;
    if (!isHidden(text, from)) scrubbed.hide(from, to ?? limit);
    start.lastIndex = Math.max(to ?? limit, from + 1);
  }
  return scrubbed.toString();
}

function lastIndexOf(pattern: RegExp, text: string, from: number, limit: number): number {
  let last = -1;
  pattern.lastIndex = from;
  for (let found = pattern.exec(text); found !== null && found.index < limit; found = pattern.exec(text))
    last = found.index;
  return last;
}

const frame =
  /(?:\n|\\{1,8}n) {1,8}at [^\n]{0,500}?(?::\d{1,9}|native|<anonymous>|index \d{1,9})\)?(?=\\|\n|["'`]|$)/g;

/** Where a message ends: at the first frame of its stack. */
function messageEnd(text: string, from: number, whole: boolean): number {
  if (whole) return text.length;
  frame.lastIndex = from;
  return frame.exec(text)?.index ?? text.length;
}

/** Drizzle: `Failed query: … params: …` */
function withoutParameters(text: string, whole: boolean): string {
  const query = text.indexOf('Failed query:');
  const found = query === -1 ? null : /(?:\s|\\{1,8}n)params:\s?/.exec(text.slice(query));
  if (found === null) return text;
  const from = query + found.index + found[0].length;
  const scrubbed = new Scrubbed(text);
  if (from < text.length) scrubbed.hide(from, messageEnd(text, from, whole));
  return scrubbed.toString();
}

const invocation = /Invalid \\{0,8}`[^\n]{1,150}`(?=\s{1,9}invocation\b)\s{1,9}invocation(?: in)?:?/g;

/** Prisma prints its arguments; the reason is the last paragraph. */
function withoutArguments(text: string): string {
  invocation.lastIndex = 0;
  if (!invocation.test(text)) return text;
  const from = invocation.lastIndex;
  const limit = messageEnd(text, from, false);
  const said = text.slice(from, limit).trimEnd();
  const last = Math.max(said.lastIndexOf('\n\n'), said.lastIndexOf('\\n\\n'));
  const scrubbed = new Scrubbed(text);
  if (from < limit) scrubbed.hide(from, last === -1 ? limit : from + last);
  return scrubbed.toString();
}

const statement =
  /(?:\b|\\n)(?:insert\s{1,3}(?:ignore\s{1,3})?into|replace\s{1,3}into|merge\s{1,3}into|update\s{1,3}\S{1,130}\s{1,3}set|delete\s{1,3}from|call|select)\s/gi;
/** A statement continues like this after its first word: otherwise `select` and `call` are words of a sentence. */
const clause = /\b(?:from|as|where|set|into)\s|::| - |\(/gi;
/** A literal: in quotes, or a number after an operator, a comma or a bracket. */
const literal = /'|(?<=[=<>(,+*/-]\s{0,3})-?\d|(?<=\b(?:values\s{0,3}\(|like|in\s{0,3}\()\s{0,3})"/gi;
/** Knex and MikroORM: `<statement> - <message of the driver>` */
const separator = / - /g;

/** The literals of a statement: placeholders stay. */
function withoutLiterals(text: string, whole: boolean): string {
  const scrubbed = new Scrubbed(text);
  statement.lastIndex = 0;
  for (let found = statement.exec(text); found !== null; found = statement.exec(text)) {
    const limit = messageEnd(text, found.index, whole);
    const end = lastIndexOf(separator, text, statement.lastIndex, limit);
    const to = end === -1 ? limit : end;
    clause.lastIndex = statement.lastIndex;
    if (/^(?:select|call)/i.test(found[0]) && (clause.exec(text)?.index ?? limit) >= limit) {
      statement.lastIndex = limit;
      continue;
    }
    literal.lastIndex = statement.lastIndex;
    const first = literal.exec(text)?.index ?? limit;
    if (first < to && !isHidden(text, first)) scrubbed.hide(first, to);
    statement.lastIndex = Math.max(to, found.index + 1);
  }
  return scrubbed.toString();
}
