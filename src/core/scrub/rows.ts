// Data of customers, as databases print it in their errors.
import { hide } from './secrets.js';
import { isObject, read, textIn } from '../objects.js';

/** The texts that PostgreSQL, MySQL and Drizzle write before a value, and after it. The last end counts: a value may contain whatever follows a value. */
const rowShapes: readonly (readonly [start: RegExp, ends: readonly RegExp[]])[] = [
  [/Failing row contains \(/g, [/\)/g]],
  [
    /Key \([^\n=]{1,300}\)=\(/g,
    [/\)(?= (?:already exists|is not present|is still referenced|conflicts with))/g, /\)/g],
  ],
  // Drizzle prints the values of a statement below it.
  [/(?:\n|\\{1,63}n(?:["'`] \+\s{1,9}["'`])?)params: /g, []],
  [/Duplicate entry \\{0,8}["']/g, [/["'](?=\\{0,8} for key)/g, /["']/g]],
];

/** The text without rows. Names of constraints, tables and columns are not values: they stay. */
export function withoutRows(text: string): string {
  return rowShapes.reduce(
    (shown, [start, ends]) =>
      hide(shown, start, (_found, from) => {
        if (shown.startsWith('***', from)) return undefined;
        const limit = messageEnd(shown, from);
        const found = ends.map((end) => lastIndexOf(end, shown, from, limit));
        return [from, found.find((index) => index !== -1) ?? limit];
      }),
    text,
  );
}

const frame =
  /(?:\n|\\{1,8}n) {1,8}at [^\n]{0,500}?(?::\d{1,9}|native|<anonymous>|index \d{1,9})\)?(?=\\|\n|["'`]|$)/g;

/** Where a message ends: at the first frame of its stack. */
function messageEnd(text: string, from: number): number {
  frame.lastIndex = from;
  return frame.exec(text)?.index ?? text.length;
}

function lastIndexOf(pattern: RegExp, text: string, from: number, limit: number): number {
  let last = -1;
  pattern.lastIndex = from;
  for (let found = pattern.exec(text); found !== null && found.index < limit; found = pattern.exec(text))
    last = found.index;
  return last;
}

/** Our sentences for errors about data: those of the databases print the data. By SQLSTATE, and by the codes of those that have none. */
const sentences: readonly (readonly [string, RegExp])[] = [
  [
    'a value that must be unique exists already',
    /^(?:23505|23P01|ER_DUP_\w+|P2002|1100[01]|SequelizeUniqueConstraintError|UniqueConstraintViolation)$/,
  ],
  ['a required value is missing', /^(?:23502|ER_BAD_NULL_ERROR|ER_NO_DEFAULT_FOR_FIELD|P201[123])$/],
  ['a foreign key does not match', /^(?:23503|ER_(?:NO_REFERENCED_ROW|ROW_IS_REFERENCED)\w*|P2003)$/],
  ['a check constraint is not met', /^(?:23514|ER_(?:CHECK_)?CONSTRAINT_\w+|121)$/],
  ['a constraint is not met', /^(?:23\w{3}|44000|P2004)$/],
  [
    'a value does not fit its column',
    /^(?:22\w{3}|ER_(?:DATA_TOO_LONG|TRUNCATED_\w+|WARN_DATA_\w+|DATA_OUT_OF_RANGE|INVALID_JSON_TEXT\w*)|WARN_DATA_TRUNCATED|P20(?:00|0[5-9]|20|23))$/,
  ],
  ['the statement cannot be parsed', /^(?:42601|ER_PARSE_ERROR|ER_SYNTAX_ERROR)$/],
  ['a function of the database raised an error', /^(?:P0001|45000|ER_SIGNAL_EXCEPTION)$/],
];

/** The message of an error about data in our words, with its code and the names that it carries; undefined for other errors, unless the reader is `anyone`: then those of any database get one. */
function sentenceOf(error: object, message: string, anyone: boolean): string | undefined {
  const codes = codesOf(error);
  for (const code of codes) {
    const found = sentences.find(([, pattern]) => pattern.test(code));
    if (found !== undefined) return `${found[0]} (${[code, ...namesOf(error, message)].join(' ')})`;
  }
  if (!anyone || !isFromDatabase(error)) return undefined;
  const known = codes.find((code) => /^[\w.-]{1,40}$/.test(code));
  return `the database reported an error (${[known, ...namesOf(error, message)].join(' ').trim()})`;
}

/** By what only the errors of databases and object mappers have. */
function isFromDatabase(error: object): boolean {
  const code = textIn(error, 'code') ?? '';
  return (
    /^(?:ER|SQLITE|ERR_SQLITE)_/.test(code) ||
    (/^(?=.*\d)[0-9A-Z]{5}$/.test(code) && textIn(error, 'severity') !== undefined) ||
    ['sqlState', 'sqlMessage', 'clientVersion'].some((name) => textIn(error, name) !== undefined) ||
    /^(?:Mongo|Prisma|Drizzle|Sequelize|QueryFailed)/.test(nameOf(error))
  );
}

function nameOf(error: object): string {
  const type = read(error, 'constructor');
  return typeof type === 'function' && type !== Error ? type.name : (textIn(error, 'name') ?? '');
}

function codesOf(error: object): readonly string[] {
  const isMongo = textIn(error, 'name')?.startsWith('Mongo') === true;
  return ['code', 'sqlState', 'sqlstate', 'originalCode', 'name']
    .map((name) => read(error, name))
    .map((code) => (isMongo && typeof code === 'number' ? String(code) : code))
    .filter((code) => typeof code === 'string');
}

const identifier = /^[\w.$-]{1,130}$/;
/** MySQL has the name in its message only, after the value. */
const keyInMessage = /' for key ['`]([\w.$-]{1,130})['`]$/;
const columnInMessage =
  /(?:for column|^column|^field) (['`][\w.`$-]{1,130}['`])(?: at row \d{1,20}| cannot be null| doesn't have a default value)$|^(?:Cannot [^']{1,300})?CONSTRAINT (`[\w.$-]{1,130}`)/i;

function namesOf(error: object, message: string): readonly string[] {
  const meta = read(error, 'meta');
  const places = [error, ...(isObject(meta) ? [meta] : [])];
  const given = places.flatMap((place) =>
    ['constraint', 'table', 'column', 'modelName', 'target', 'field_name', 'index'].flatMap((name) =>
      read(place, name),
    ),
  );
  const pattern = read(error, 'keyPattern');
  const keys = isObject(pattern) ? Object.keys(pattern) : [];
  const names = [...given, ...keys].filter((name) => typeof name === 'string' && identifier.test(name));
  if (names.length > 0) return [...new Set(names)].map(String).slice(0, 4);
  const said = (textIn(error, 'sqlMessage') ?? message).slice(-maxMessageLength);
  const isKey = textIn(error, 'code')?.startsWith('ER_DUP') === true;
  const [, ...found] = (isKey ? keyInMessage : columnInMessage).exec(said) ?? [];
  const name = found.find((part) => part !== undefined);
  return name === undefined ? [] : [name.replaceAll(/['`]/g, '')];
}

/** An error and its wrapped errors, outermost first: each library has its own property for them. */
function wrapped(thrown: object): readonly object[] {
  const found = [thrown];
  for (const error of found) {
    const inner = ['cause', 'original', 'parent', 'driverError', 'nativeError', 'driverAdapterError'];
    const errors = read(error, 'errors');
    const list = Array.isArray(errors) ? errors.slice(0, 10) : [];
    for (const cause of [...inner.map((name) => read(error, name)), ...list]) {
      if (isObject(cause) && !found.includes(cause) && found.length < 10) found.push(cause);
    }
  }
  return found;
}

/** A shorter message has no room for a value, and may be part of any other text. */
const minLength = 8;
/** No message is searched further than this. */
const maxMessageLength = 16_384;

/** A text of an error, such as its message or its stack, with our sentences instead of those of databases. */
export function withoutDatabaseWords(text: string, thrown: unknown, anyone = false): string {
  if (!isObject(thrown)) return text;
  let shown = text;
  for (const error of wrapped(thrown)) {
    const message = textIn(error, 'message') ?? '';
    const sentence = message.length < minLength ? undefined : sentenceOf(error, message, anyone);
    if (sentence === undefined) continue;
    if (error === thrown && !text.includes(message)) shown = framesOf(text, sentence);
    else if (message.length <= maxMessageLength) shown = shown.replaceAll(message, () => sentence);
    else {
      // The end of such a long message is never shown.
      const at = shown.indexOf(message.slice(0, maxMessageLength));
      if (at !== -1) shown = `${shown.slice(0, at)}${sentence}…`;
    }
  }
  return shown;
}

/** The stack of an error whose message was changed after it was thrown, as Knex does. */
function framesOf(stack: string, sentence: string): string {
  const lines = stack.split('\n');
  let first = lines.length;
  while (first > 0 && /^\s+at /.test(lines[first - 1] ?? '')) first -= 1;
  if (first === lines.length) return stack;
  const name = /^[\w$.]{1,100}/.exec(stack)?.[0] ?? 'Error';
  return [`${name}: ${sentence}`, ...lines.slice(first)].join('\n');
}
