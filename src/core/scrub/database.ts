// The public text of an error that a database or its client threw: its own words have the data of customers.
import { isObject, read, textIn } from '../objects.js';

/** The text of an error with a sentence, the code and the names of constraint, table and column instead of the words of databases. */
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

function sentenceOf(error: object): string | undefined {
  const codes = ['code', 'sqlState', 'sqlstate', 'originalCode', 'name']
    .map((name) => read(error, name))
    .filter((code) => typeof code === 'string' || typeof code === 'number')
    .map(String);
  if (!isFromDatabase(error, codes)) return undefined;
  const code = codes.find((text) => /^[\w.-]{1,40}$/.test(text)) ?? '';
  return `the database reported an error (${[code, ...namesOf(error)].join(' ').trim()})`;
}

/** Classes of SQLSTATE that statements and their values lead to, and the codes of Prisma, MySQL and SQLite. */
const ofDatabases = /^(?:(?:2[23]|4[0245]|P0)[\dA-Z]{3}|P\d{4}|(?:ER|ERR_SQLITE|SQLITE|WARN_DATA)_\w+)$/;

/** By what only the errors of databases and object mappers have. */
function isFromDatabase(error: object, codes: readonly string[]): boolean {
  const type = read(error, 'constructor');
  const name = typeof type === 'function' && type !== Error ? type.name : (textIn(error, 'name') ?? '');
  return (
    codes.some((code) => ofDatabases.test(code)) ||
    (/^(?=.*\d)[\dA-Z]{5}$/.test(codes[0] ?? '') && textIn(error, 'severity') !== undefined) ||
    ['sqlState', 'sqlMessage', 'clientVersion'].some((key) => textIn(error, key) !== undefined) ||
    /^(?:Mongo|Prisma|Drizzle|DriverAdapter|Sequelize|QueryFailed|UniqueConstraintViolation)/.test(name)
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
