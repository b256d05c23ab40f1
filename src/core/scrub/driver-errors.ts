import { shared } from '../shared.js';
import { read, textIn } from './read.js';
import { withoutValues } from './rows.js';
import { isObject } from '../objects.js';

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

/** The message of an error about data in our words, with its code and the names that it carries; undefined for other errors. */
function sentenceOf(error: object, message: string): string | undefined {
  for (const code of codesOf(error)) {
    const found = sentences.find(([, codes]) => codes.test(code));
    if (found !== undefined) return `${found[0]} (${[code, ...namesOf(error, message)].join(' ')})`;
  }
  return undefined;
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

const errorsWithData: WeakSet<object> = /* @__PURE__ */ shared('errors with data', () => new WeakSet());

/** Lets formatters show database rows in this error: the option `logData`. */
export function keepData(error: unknown): void {
  if (isObject(error)) for (const each of wrapped(error)) errorsWithData.add(each);
}

export function keepsData(error: unknown): boolean {
  return isObject(error) && errorsWithData.has(error);
}

/** The text of an error, such as its message or its stack, without the values of customers. */
export function withoutRows(text: string, thrown: unknown): string {
  if (!isObject(thrown)) return text;
  const others: string[] = [];
  let shown = text;
  const replace = (message: string, by: string) => {
    if (message.length <= maxMessageLength) shown = shown.replaceAll(message, () => by);
    else {
      // The end of such a long message is never shown.
      const at = shown.indexOf(message.slice(0, maxMessageLength));
      if (at !== -1) shown = `${shown.slice(0, at)}${by}…`;
    }
  };
  const known: (readonly [string, string])[] = [];
  for (const error of wrapped(thrown)) {
    const message = textIn(error, 'message') ?? '';
    if (message.length < minLength) continue;
    const said = sentenceOf(error, message);
    if (said === undefined) others.push(message);
    else if (error === thrown && !text.includes(message)) shown = framesOf(text, said);
    else known.push([message, said]);
  }
  for (const [message, said] of known) replace(message, said);
  for (const other of others) {
    // With the sentences that replaced its quotes of the others.
    const message = known.reduce((left, [quoted, said]) => left.replaceAll(quoted, () => said), other);
    replace(message, withoutValues(message.slice(0, maxMessageLength), true));
  }
  return shown;
}

/** Shorter ones have no room for a value, and may be part of any other text. */
const minLength = 8;
/** No message is searched further than this. */
const maxMessageLength = 16_384;

/** The stack of an error whose message was changed after it was thrown, as Knex does. */
function framesOf(stack: string, said: string): string {
  const lines = stack.split('\n');
  let first = lines.length;
  while (first > 0 && /^\s+at /.test(lines[first - 1] ?? '')) first -= 1;
  if (first === lines.length) return stack;
  const name = /^[\w$.]{1,100}/.exec(stack)?.[0] ?? 'Error';
  return [`${name}: ${said}`, ...lines.slice(first)].join('\n');
}
