import {
  type CheckMessage,
  Error as ErrorMessage,
  type Fault,
  type Warning,
} from '../core/heartbeat/messages.js';
import { describe } from '../core/scrub/scrub.js';
import { lastPart } from '../core/scrub/printable.js';
import { isError } from '../core/objects.js';
import { isObject, NotReady, OwnError } from './client.js';
import { fullText, isFull, NoConnection, NotServed } from './pools/pool.js';

export interface Reason {
  readonly fault: Fault;
  /** Our sentence, with a code and an address: anyone may read it. */
  readonly text: string;
  /** The client's own words, for the log, if we have no sentence for it. */
  readonly fields?: { readonly error: string };
}

// Our own sentences and not the drivers': those name users, and some the whole connection string.
const tlsFailed = 'client and server cannot agree on TLS';

const connectingTookTooLong = 'connecting took too long';

const tooManyConnections = 'the server accepts no more connections';

const sentences: readonly (readonly [Fault, string, RegExp])[] = [
  [
    'misconfigured',
    'the server rejected the user or password',
    /^(28P01|28000|ER_ACCESS_DENIED(_NO_PASSWORD)?_ERROR|P1000|WRONGPASS|NOAUTH|AuthenticationFailed)$/,
  ],
  ['misconfigured', 'this database does not exist', /^(3D000|ER_BAD_DB_ERROR|P1003|DatabaseDoesNotExist)$/],
  [
    'misconfigured',
    'the user lacks permission',
    /^(42501|ER_DBACCESS_DENIED_ERROR|ER_TABLEACCESS_DENIED_ERROR|ER_HOST_NOT_PRIVILEGED|NOPERM|DatabaseAccessDenied)$/,
  ],
  [
    'misconfigured',
    'client and server share no authentication method',
    /^(ER_NOT_SUPPORTED_AUTH_MODE|AUTH_SWITCH_PLUGIN_ERROR|AUTH_TYPE_NOT_IMPLEMENTED|ER_AUTHENTICATION_PLUGIN_NOT_SUPPORTED)$/,
  ],
  [
    'misconfigured',
    "the server's certificate is not trusted",
    /CERT|^ERR_TLS|UNABLE_TO_VERIFY|^HOSTNAME_MISMATCH$|^TlsConnectionError$/,
  ],
  ['misconfigured', tlsFailed, /^(EPROTO|ERR_SSL_\w+)$/],
  ['misconfigured', 'the file is not a database', /^SQLITE_NOTADB/],
  ['misconfigured', 'the database file cannot be opened', /^SQLITE_CANTOPEN/],
  ['unreachable', 'connection refused', /^ECONNREFUSED$/],
  ['unreachable', 'the host name cannot be resolved', /^(ENOTFOUND|EAI_AGAIN)$/],
  ['unreachable', 'no route to the host', /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL)$/],
  ['unreachable', connectingTookTooLong, /^(ETIMEDOUT|CONNECT_TIMEOUT|ER_CONNECTION_TIMEOUT|P1002)$/],
  ['unreachable', 'no such file, directory or socket', /^ENOENT$/],
  [
    'full',
    tooManyConnections,
    /^(53300|ER_CON_COUNT_ERROR|ER_TOO_MANY_USER_CONNECTIONS|ER_USER_LIMIT_REACHED|TooManyConnections)$/,
  ],
  ['unreachable', 'the server is starting up or shutting down', /^(57P03|ER_SERVER_SHUTDOWN|LOADING)$/],
  [
    'exhausted',
    'the pool did not provide a connection in time',
    /^(ER_GET_CONNECTION_TIMEOUT|P2024|KnexTimeoutError|SequelizeConnectionAcquireTimeoutError)$/,
  ],
  [
    'unreachable',
    'the server could not be reached',
    /^(08001|08004|ER_CONNECTION_NOT_ESTABLISHED|P1001|DatabaseNotReachable)$/,
  ],
  [
    'broken',
    'the server closed the connection',
    /^(57P01|57P02|57P05|08003|08006|ECONNRESET|EPIPE|ECONNABORTED|PROTOCOL_CONNECTION_LOST|CONNECTION_CLOSED|CONNECTION_DESTROYED|ER_SOCKET_UNEXPECTED_CLOSE|ER_CMD_CONNECTION_CLOSED|ER_SOCKET_TIMEOUT|P1017|ConnectionClosed|SocketTimeout)$/,
  ],
  [
    'broken',
    'the application closed its client',
    /^(CONNECTION_ENDED|ER_POOL_ALREADY_CLOSED|ER_POOL_NOT_INITIALIZED)$/,
  ],
  ['broken', 'the connection is in a transaction that failed and was not rolled back', /^25P02$/],
  ['broken', 'the database is locked', /^SQLITE_(BUSY|LOCKED)/],
  ['broken', 'the database file is damaged or missing', /^SQLITE_(IOERR|CORRUPT|FULL|READONLY_DBMOVED)/],
];

// Some drivers have no codes for some errors.
const phrases: readonly (readonly [Fault, string, RegExp])[] = [
  [
    'misconfigured',
    'the server rejected the user or password',
    /client password must be a string|password authentication failed|no password supplied|no such user|invalid password|AUTH <password>/i,
  ],
  // mysql2 replaces the code of every error of TLS by HANDSHAKE_SSL_ERROR.
  [
    'misconfigured',
    "the server's certificate is not trusted",
    /self[- ]signed certificate|certificate has expired|certificate is not yet valid|unable to (get|verify) [\w ]*certificate|certificate's altnames/i,
  ],
  ['misconfigured', 'the server does not speak TLS', /does not support (SSL|secure connection)/i],
  ['misconfigured', 'the database number is out of range', /DB index is out of range/i],
  [
    'exhausted',
    'the pool did not provide a connection in time',
    /timeout exceeded when trying to connect|timeout acquiring a connection|pool timeout|no connections available|queue limit reached/i,
  ],
  // PgBouncer has one code for all of its errors: 08P01.
  ['misconfigured', 'this database does not exist', /no such database/i],
  [
    'full',
    tooManyConnections,
    /max number of clients (\+ cluster connections )?reached|no more connections allowed/i,
  ],
  [
    'unreachable',
    'the connection pooler had no server connection in time',
    /^(query_wait|client_login)_timeout/,
  ],
  [
    'unreachable',
    'the connection pooler cannot connect to the server',
    /^(pgbouncer )?cannot connect to server|server login has been failing|server_login_retry/i,
  ],
  ['unreachable', 'no sentinel can be reached', /all sentinels are unreachable/i],
  [
    'unreachable',
    connectingTookTooLong,
    /connect(ion)? (terminated due to connection )?timeout|connect(ion)? timed out/i,
  ],
  [
    'broken',
    'the application closed its client',
    /pool after calling end|pool is (closed|draining)|unable to acquire a connection|connection manager was closed|not (currently )?open\b|client is closed|pool is destroyed|^aborted$/i,
  ],
  [
    'broken',
    'the server closed the connection',
    /connection (is )?(terminated|ended|lost|closed)|not queryable|in closed state|server has gone away|socket closed/i,
  ],
  ['broken', 'the database is locked', /database (table )?is locked/i],
  ['misconfigured', 'the file is not a database', /file is not a database/i],
  ['misconfigured', 'the database file cannot be opened', /unable to open database/i],
];

/** Why a client failed, for a report that is public. */
export function reasonOf(thrown: unknown): Reason {
  if (thrown instanceof NotReady) {
    if (thrown.cause === undefined) return { fault: 'misconfigured', text: thrown.message };
    const { text, ...reason } = reasonOf(thrown.cause);
    return { ...reason, text: `${text}; ${thrown.message}` };
  }
  if (thrown instanceof NoConnection) {
    const { usage } = thrown;
    return usage === undefined || isFull(usage)
      ? { fault: 'exhausted', text: fullText(usage) }
      : { fault: 'unreachable', text: connectingTookTooLong };
  }
  if (thrown instanceof OwnError) return { fault: 'other', text: thrown.message };
  if (thrown instanceof NotServed) return { fault: 'broken', text: thrown.message };
  const chain = causesOf(thrown);
  for (const error of chain) {
    for (const code of codesOf(error)) {
      const found = sentences.find(([, , codes]) => codes.test(code));
      if (found !== undefined) return { fault: found[0], text: `${found[1]} (${code}${whereOf(error)})` };
    }
  }
  for (const error of chain) {
    const message = messageOf(error);
    const found = phrases.find(([, , phrase]) => phrase.test(message));
    if (found !== undefined) return { fault: found[0], text: found[1] };
  }
  if (chain.flatMap(codesOf).includes('HANDSHAKE_SSL_ERROR'))
    return { fault: 'misconfigured', text: `${tlsFailed} (HANDSHAKE_SSL_ERROR)` };
  // Last: pools wrap their causes in errors of this name.
  const limit = chain.flatMap(codesOf).find((code) => /^(TimeoutError|AbortError)$/.test(code));
  if (limit !== undefined) return { fault: 'broken', text: `no answer in time (${limit})` };
  return { fault: 'other', text: unknownText(thrown, chain), fields: { error: describe(thrown) } };
}

/** The class of an error and its code: the rest is the client's words. */
function unknownText(thrown: unknown, chain: readonly object[]): string {
  const name = isError(thrown) ? thrown.constructor.name : 'Error';
  const words = [
    ...chain.flatMap(codesOf),
    ...chain.map((error) => /^[A-Z]{3,20}\b/.exec(messageOf(error))?.[0]),
  ];
  const code = words.find(
    (word) => word !== undefined && /^[\w.-]{1,40}$/.test(word) && word !== name && word !== 'Error',
  );
  return code === undefined ? name : `${name} (${code})`;
}

/** The text as a sentence begins. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The text for a fault: an id, how the sentence begins, and what to do. */
export type Finding = readonly [id: string, start: string, hint?: string];

/** The message of a finding, with the reason. */
export function messageFor(
  [id, start, hint]: Finding,
  { text, fields }: Pick<Reason, 'text' | 'fields'>,
  fault?: Fault,
  Kind: typeof ErrorMessage | typeof Warning = ErrorMessage,
): CheckMessage {
  return new Kind(start === '' ? capital(text) : `${start}: ${text}`, {
    id,
    ...(hint !== undefined && { hint }),
    ...(fault && { fault }),
    ...(fields && { fields }),
  });
}

/** Whether the database says that a table does not exist. */
export function isMissingTable(thrown: unknown): boolean {
  return causesOf(thrown).some(
    (error) =>
      codesOf(error).some((code) => /^(42P01|3F000|ER_NO_SUCH_TABLE|TableDoesNotExist)$/.test(code)) ||
      /no such table/i.test(messageOf(error)),
  );
}

/** Whether an error is about a statement, which the database has read, or about none of its making. */
export function isAboutQuery(thrown: unknown): boolean {
  const codes = causesOf(thrown).flatMap(codesOf);
  if (
    codes.some((code) => /^(42\w{3}|ER_(TABLEACCESS_DENIED|BAD_FIELD|PARSE)_ERROR|SQLITE_ERROR)$/.test(code))
  )
    return true;
  return !codes.some((code) => /^[\dA-Z]{5}$/.test(code)) && reasonOf(thrown).fault === 'other';
}

/** The address that was tried: operators check it first. */
function whereOf(error: object): string {
  const address = read(error, 'address') ?? read(error, 'host');
  const port = read(error, 'port');
  if (typeof address !== 'string') return '';
  // A socket of a file system is known by its name; its folders are private.
  if (address.startsWith('/')) return ` ${lastPart(address)}`;
  return typeof port === 'number' ? ` ${address}:${port}` : ` ${address}`;
}

/** Names that drivers, object mappers and clusters use for the error inside theirs. */
const wrappers = 'cause driverError original parent meta driverAdapterError lastNodeError'.split(' ');

/** An error and its wrapped errors: each library has its own read for them. */
function causesOf(thrown: unknown): readonly object[] {
  const found: object[] = isObject(thrown) ? [thrown] : [{ message: thrown }];
  for (const error of found) {
    const errors = read(error, 'errors');
    const inner = wrappers.map((name) => read(error, name));
    for (const cause of [...inner, ...(Array.isArray(errors) ? errors.slice(0, 1) : [])]) {
      if (isObject(cause) && !found.includes(cause) && found.length < 10) found.push(cause);
    }
  }
  // The innermost knows best.
  return found.toReversed();
}

/** A read of whatever was thrown; getters and proxies may throw themselves. */
function read(error: object, name: string): unknown {
  try {
    return Reflect.get(error, name);
  } catch {
    return undefined;
  }
}

/** The part of a message that names its subject. */
function messageOf(error: object): string {
  const message = read(error, 'message');
  return typeof message === 'string' ? message.slice(0, 2000) : '';
}

/** Its codes: drivers have several names for them. */
function codesOf(error: object): readonly string[] {
  const codes = ['code', 'originalCode', 'kind', 'rawCode'].map((name) => read(error, name));
  const name = read(error, 'name');
  // Redis has its code in the first word.
  const word = /^[A-Z]{5,}\b/.exec(messageOf(error))?.[0];
  return [...codes, name, word].filter((code) => typeof code === 'string');
}
