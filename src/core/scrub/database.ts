// The public text of an error that a database or its client threw: its own text has the data of customers.
import { isObject, read, textIn } from '../objects.js';

/** By SQLSTATE, and by the codes of those that have none. */
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

/** The text of an error with our text, the code and the names of constraint, table and column instead of the database's text. */
export function withoutDatabaseWords(text: string, thrown: unknown): string {
  let shown = text;
  for (const error of isObject(thrown) ? wrapped(thrown) : []) {
    const sentence = sentenceOf(error);
    if (sentence === undefined) continue;
    if (error === thrown) return sentence;
    const message = textIn(error, 'message') ?? '';
    // A shorter text may be part of any other.
    if (message.length >= 8) shown = shown.replaceAll(message, () => sentence);
  }
  return shown;
}

/** An error and those that it wraps, outermost first: each library has its own property for them. */
function wrapped(thrown: object): readonly object[] {
  const errors = [thrown];
  for (const error of errors) {
    const inner = ['cause', 'original', 'parent', 'driverError', 'nativeError', 'driverAdapterError'];
    const several = read(error, 'errors');
    const list = Array.isArray(several) ? several.slice(0, 10) : [];
    for (const cause of [...inner.map((name) => read(error, name)), ...list]) {
      if (isObject(cause) && !errors.includes(cause) && errors.length < 10) errors.push(cause);
    }
  }
  return errors;
}

function sentenceOf(error: object): string | undefined {
  const codes = ['code', 'sqlState', 'sqlstate', 'originalCode', 'name']
    .map((name) => read(error, name))
    .filter((code) => typeof code === 'string' || typeof code === 'number')
    .map(String);
  for (const code of codes) {
    const row = sentences.find(([, pattern]) => pattern.test(code));
    if (row !== undefined) return `${row[0]} (${[code, ...namesOf(error)].join(' ')})`;
  }
  if (!isFromDatabase(error)) return undefined;
  const known = codes.filter((code) => /^[\w.-]{1,40}$/.test(code)).slice(0, 1);
  return `the database reported an error (${[...known, ...namesOf(error)].join(' ')})`;
}

/** By what only the errors of databases and object mappers have. */
function isFromDatabase(error: object): boolean {
  const code = textIn(error, 'code') ?? '';
  const type = read(error, 'constructor');
  const name = typeof type === 'function' && type !== Error ? type.name : (textIn(error, 'name') ?? '');
  return (
    /^(?:ER|SQLITE|ERR_SQLITE)_/.test(code) ||
    (/^(?=.*\d)[0-9A-Z]{5}$/.test(code) && textIn(error, 'severity') !== undefined) ||
    ['sqlState', 'sqlMessage', 'clientVersion'].some((key) => textIn(error, key) !== undefined) ||
    /^(?:Mongo|Prisma|Drizzle|Sequelize|QueryFailed)/.test(name)
  );
}

/** MySQL has the name of a unique key in its message only, after the value. */
const keyInMessage = /' for key ['`]([\w.$-]{1,130})['`]$/;

function namesOf(error: object): readonly string[] {
  const names = ['constraint', 'table', 'column'].map((property) => textIn(error, property) ?? '');
  if (textIn(error, 'code')?.startsWith('ER_DUP') === true) {
    const message = textIn(error, 'sqlMessage') ?? textIn(error, 'message') ?? '';
    names.push(keyInMessage.exec(message.slice(-200))?.[1] ?? '');
  }
  return names.filter((name) => /^[\w.$-]{1,130}$/.test(name));
}
