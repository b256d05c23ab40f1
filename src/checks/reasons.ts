import { type Check, type CheckOutcome, type Scope, withScope } from '../core/heartbeat/check.js';
import {
  type CheckMessage,
  Error as ErrorMessage,
  type Fault,
  isFault,
  Warning,
} from '../core/heartbeat/messages.js';
import { isError, read, textIn } from '../core/objects.js';
import { describe } from '../core/scrub/scrub.js';
import { lastPart } from '../core/scrub/printable.js';
import { isObject, named } from './client.js';
import { isFull, type PoolUsage, usageText } from './pools/pool.js';

/** The kinds of failures in the core, and kinds that only the client itself knows. */
export type ClientFault = Fault | 'missing' | 'blocked' | 'down';

export interface Reason {
  readonly fault: ClientFault;
  /** Our text, with a code and an address: anyone may read it. */
  readonly text: string;
  /** The client's own text, for the log, if we have none for it. */
  readonly fields?: { readonly error: string };
}

/** A failure with our own text, which anyone may read. A cause decides the fault, and its text comes first. */
export class Failure extends Error {
  readonly fault: ClientFault;

  constructor(text: string, fault: ClientFault = 'other', cause?: unknown) {
    super(text, { cause });
    this.fault = fault;
  }
}

/** The client has no connection and makes none: a fault of the application, unless there is a cause why it could not connect. */
export const notReady = (text: string, cause?: unknown): Failure => new Failure(text, 'misconfigured', cause);

export const notOpen = (what: 'client' | 'connection'): Failure =>
  new Failure(`the application has not opened the ${what}, or has closed it`, 'missing');

/** The pool gave no connection in time: all are in use, or one with room waits for the server. */
export function noConnection(usage?: PoolUsage): Failure {
  const start = 'the pool did not provide a connection in time';
  if (usage === undefined) return new Failure(start, 'exhausted');
  if (!isFull(usage)) return new Failure(connectingTookTooLong, 'unreachable');
  return new Failure(
    `${usage.max === undefined ? start : 'pool exhausted'}: ${usageText(usage)}`,
    'exhausted',
  );
}

interface Signs {
  /** A code of the error: shown after the text. */
  readonly codes?: RegExp;
  /** Its message: some drivers have no codes for some errors. */
  readonly words?: RegExp;
  /** A code that says less than the text: pools wrap their causes, and mysql2 has one code for every error of TLS. */
  readonly vague?: RegExp;
  /** A message, code or name of a broker's client. */
  readonly broker?: RegExp;
}

interface Sentence extends Signs {
  readonly fault: Fault;
  readonly text: string;
}

const sentencesOf = (fault: Fault, signs: Readonly<Record<string, Signs>>): readonly Sentence[] =>
  Object.entries(signs).map(([text, each]) => ({ fault, text, ...each }));

const connectingTookTooLong = 'connecting took too long';

// Our own texts and not the drivers', which name users, queues and hosts, and some the whole connection string. The first that fits is used.
const sentences: readonly Sentence[] = /* @__PURE__ */ [
  sentencesOf('misconfigured', {
    'the server rejected the user or password': {
      codes:
        /^(28P01|28000|ER_ACCESS_DENIED(_NO_PASSWORD)?_ERROR|P1000|WRONGPASS|NOAUTH|AuthenticationFailed)$/,
      words:
        /client password must be a string|password authentication failed|no password supplied|no such user|invalid password|AUTH <password>/i,
      broker:
        /ACCESS.REFUSED|authorization.violation|authentication (failed|timeout|expired)|not authori[sz]ed|SASL|KafkaJSSASL|PLT_KFK_AUTHENTICATION/i,
    },
    // PgBouncer has one code for all of its errors: 08P01.
    'this database does not exist': {
      codes: /^(3D000|ER_BAD_DB_ERROR|P1003|DatabaseDoesNotExist)$/,
      words: /no such database/i,
    },
    'the virtual host does not exist': { broker: /vhost .{0,200} not found|NOT.ALLOWED/i },
    'the user lacks permission': {
      codes:
        /^(42501|ER_DBACCESS_DENIED_ERROR|ER_TABLEACCESS_DENIED_ERROR|ER_HOST_NOT_PRIVILEGED|NOPERM|DatabaseAccessDenied)$/,
      broker: /permissions? violation|AccessDenied|TOPIC_AUTHORIZATION_FAILED|GROUP_AUTHORIZATION_FAILED/i,
    },
    'client and server share no authentication method': {
      codes:
        /^(ER_NOT_SUPPORTED_AUTH_MODE|AUTH_SWITCH_PLUGIN_ERROR|AUTH_TYPE_NOT_IMPLEMENTED|ER_AUTHENTICATION_PLUGIN_NOT_SUPPORTED)$/,
    },
    'client and server share no protocol version': {
      broker: /unacceptable protocol version|UNSUPPORTED_VERSION/i,
    },
    "the server's certificate is not trusted": {
      codes: /CERT|^ERR_TLS|UNABLE_TO_VERIFY|^HOSTNAME_MISMATCH$|^TlsConnectionError$/,
      words:
        /self[- ]signed certificate|certificate has expired|certificate is not yet valid|unable to (get|verify) [\w ]*certificate|certificate's altnames/i,
    },
    'client and server cannot agree on TLS': {
      codes: /^(EPROTO|ERR_SSL_\w+)$/,
      vague: /^HANDSHAKE_SSL_ERROR$/,
    },
    'the server does not speak TLS': { words: /does not support (SSL|secure connection)/i },
    'the database number is out of range': { words: /DB index is out of range/i },
    'the file is not a database': { codes: /^SQLITE_NOTADB/, words: /file is not a database/i },
    'the database file cannot be opened': { codes: /^SQLITE_CANTOPEN/, words: /unable to open database/i },
  }),
  sentencesOf('full', {
    'the server accepts no more connections': {
      codes:
        /^(53300|ER_CON_COUNT_ERROR|ER_TOO_MANY_USER_CONNECTIONS|ER_USER_LIMIT_REACHED|TooManyConnections)$/,
      words: /max number of clients (\+ cluster connections )?reached|no more connections allowed/i,
    },
  }),
  sentencesOf('exhausted', {
    'the pool did not provide a connection in time': {
      codes: /^(ER_GET_CONNECTION_TIMEOUT|P2024|KnexTimeoutError|SequelizeConnectionAcquireTimeoutError)$/,
      words:
        /timeout exceeded when trying to connect|timeout acquiring a connection|pool timeout|no connections available|queue limit reached/i,
    },
  }),
  sentencesOf('unreachable', {
    'connection refused': { codes: /^ECONNREFUSED$/ },
    'the host name cannot be resolved': { codes: /^(ENOTFOUND|EAI_AGAIN)$/ },
    'no route to the host': { codes: /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL)$/ },
    'no such file, directory or socket': { codes: /^ENOENT$/ },
    'the server is starting up or shutting down': { codes: /^(57P03|ER_SERVER_SHUTDOWN|LOADING)$/ },
    'the connection pooler had no server connection in time': { words: /^(query_wait|client_login)_timeout/ },
    'the connection pooler cannot connect to the server': {
      words: /^(pgbouncer )?cannot connect to server|server login has been failing|server_login_retry/i,
    },
    'the server is not available': { broker: /server unavailable|no servers|CONNECTION_REFUSED/i },
    'no sentinel can be reached': { words: /all sentinels are unreachable/i },
    [connectingTookTooLong]: {
      codes: /^(ETIMEDOUT|CONNECT_TIMEOUT|ER_CONNECTION_TIMEOUT|P1002)$/,
      words: /connect(ion)? (terminated due to connection )?timeout|connect(ion)? timed out/i,
    },
    'the server could not be reached': {
      codes: /^(08001|08004|ER_CONNECTION_NOT_ESTABLISHED|P1001|DatabaseNotReachable)$/,
    },
  }),
  sentencesOf('broken', {
    'the application closed its client': {
      codes: /^(CONNECTION_ENDED|ER_POOL_ALREADY_CLOSED|ER_POOL_NOT_INITIALIZED)$/,
      words:
        /pool after calling end|pool is (closed|draining)|unable to acquire a connection|connection manager was closed|not (currently )?open\b|client is closed|pool is destroyed|^aborted$/i,
    },
    'the connection is in a transaction that failed and was not rolled back': { codes: /^25P02$/ },
    'the server stopped sending heartbeats': { broker: /heartbeat timeout|stale.connection/i },
    'requests are not answered in time': {
      broker: /request (.{0,200} )?timed out|KafkaJSRequestTimeout|REQUEST_TIMED_OUT/i,
    },
    'the server shut down': { broker: /server.shutting.down|CONNECTION.FORCED/i },
    'the server closed the connection': {
      codes:
        /^(57P01|57P02|57P05|08003|08006|ECONNRESET|EPIPE|ECONNABORTED|PROTOCOL_CONNECTION_LOST|CONNECTION_CLOSED|CONNECTION_DESTROYED|ER_SOCKET_UNEXPECTED_CLOSE|ER_CMD_CONNECTION_CLOSED|ER_SOCKET_TIMEOUT|P1017|ConnectionClosed|SocketTimeout)$/,
      words:
        /connection (is )?(terminated|ended|lost|closed)|not queryable|in closed state|server has gone away|socket closed/i,
      broker:
        /unexpected close|connection (closed|error)|socket (closed|disconnected)|disconnected prematurely|channel ended/i,
    },
    'the database is locked': { codes: /^SQLITE_(BUSY|LOCKED)/, words: /database (table )?is locked/i },
    'the database file is damaged or missing': { codes: /^SQLITE_(IOERR|CORRUPT|FULL|READONLY_DBMOVED)/ },
    'no answer in time': { vague: /^(TimeoutError|AbortError)$/ },
  }),
].flat();

/** Why a client failed, for a report that is public. */
export function reasonOf(thrown: unknown): Reason {
  if (thrown instanceof Failure) {
    if (thrown.cause === undefined) return { fault: thrown.fault, text: thrown.message };
    const reason = reasonOf(thrown.cause);
    return { ...reason, text: `${reason.text}; ${thrown.message}` };
  }
  const chain = causesOf(thrown);
  return (
    reasonByCode(chain, 'codes') ??
    reasonByText(chain, 'words') ??
    reasonByCode(chain, 'vague') ?? {
      fault: 'other',
      text: unknownText(thrown, chain),
      fields: { error: describe(thrown) },
    }
  );
}

/** Why a client of a broker failed, for a report that is public. */
export function brokerReason(thrown: unknown): Reason {
  if (thrown instanceof Failure && thrown.cause === undefined) return reasonOf(thrown);
  const chain = causesOf(thrown);
  // The code of the system is clearer than the client's wording.
  const system = chain.find((error) => /^E[A-Z]{3,}$/.test(textIn(error, 'code') ?? ''));
  if (system !== undefined) return reasonOf(system);
  return reasonByText(chain, 'broker') ?? reasonOf(thrown);
}

function reasonByCode(chain: readonly object[], sign: 'codes' | 'vague'): Reason | undefined {
  for (const error of chain) {
    for (const code of codesOf(error)) {
      const sentence = sentences.find((each) => each[sign]?.test(code));
      if (sentence !== undefined)
        return { fault: sentence.fault, text: `${sentence.text} (${code}${whereOf(error)})` };
    }
  }
  return undefined;
}

function reasonByText(chain: readonly object[], sign: 'words' | 'broker'): Reason | undefined {
  const names = sign === 'broker' ? ['code', 'name', 'type', 'condition'] : [];
  for (const error of chain) {
    const texts = [messageOf(error), ...names.map((name) => textIn(error, name) ?? '')];
    const sentence = sentences.find((each) => texts.some((text) => each[sign]?.test(text)));
    if (sentence !== undefined) return { fault: sentence.fault, text: sentence.text };
  }
  return undefined;
}

/** The class of an error and its code: the rest is the client's text. */
function unknownText(thrown: unknown, chain: readonly object[]): string {
  const name = isError(thrown) ? thrown.constructor.name : 'Error';
  const code = chain
    .flatMap(codesOf)
    .find((word) => /^[\w.-]{1,40}$/.test(word) && word !== name && word !== 'Error');
  return code === undefined ? name : `${name} (${code})`;
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The text for a fault: an id, how the text begins, and what to do. */
export type Finding = readonly [id: string, start: string, hint?: string | undefined];

/** The text for each fault; `other` also for those that it does not list. */
export type Findings = Readonly<Partial<Record<ClientFault, Finding>>> & { readonly other: Finding };

export function messageOfFailure(findings: Findings, reason: Reason): CheckMessage {
  const { fault } = reason;
  const finding = findings[fault] ?? findings.other;
  return messageFor(
    finding,
    reason,
    isFault(fault) ? fault : 'other',
    fault === 'blocked' ? Warning : undefined,
  );
}

export function messageFor(
  [id, start, hint]: Finding,
  { text, fields }: Pick<Reason, 'text' | 'fields'>,
  fault?: Fault,
  Message: typeof ErrorMessage | typeof Warning = ErrorMessage,
): CheckMessage {
  return new Message(start === '' ? capital(text) : `${start}: ${text}`, { id, hint, fault, fields });
}

/** A check whose error becomes a message. */
export const reportingBy =
  (failure: (thrown: unknown) => CheckMessage, run: (signal: AbortSignal) => Promise<CheckOutcome>): Check =>
  async ({ signal }) => {
    try {
      return (await run(signal)) ?? [];
    } catch (thrown) {
      return [failure(thrown)];
    }
  };

/** A named check that reports any error it throws with one finding. */
export function reporting(
  name: string,
  scope: Scope,
  finding: Finding,
  run: (signal: AbortSignal) => Promise<readonly CheckMessage[]>,
): Check {
  const check = reportingBy((thrown) => messageFor(finding, reasonOf(thrown)), run);
  return withScope(named(name, check), scope);
}

export function isMissingTable(thrown: unknown): boolean {
  return causesOf(thrown).some(
    (error) =>
      codesOf(error).some((code) => /^(42P01|3F000|ER_NO_SUCH_TABLE|TableDoesNotExist)$/.test(code)) ||
      /no such table/i.test(messageOf(error)),
  );
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

/** An error and its wrapped errors, the innermost first, which knows best: each library has its own name for them. */
function causesOf(thrown: unknown): readonly object[] {
  const chain: object[] = isObject(thrown) ? [thrown] : [{ message: thrown }];
  for (const error of chain) {
    const errors = read(error, 'errors');
    const inner = wrappers.map((name) => read(error, name));
    for (const cause of [...inner, ...(Array.isArray(errors) ? errors.slice(0, 1) : [])]) {
      if (isObject(cause) && !chain.includes(cause) && chain.length < 10) chain.push(cause);
    }
  }
  return chain.toReversed();
}

/** The part of a message that names its subject. */
const messageOf = (error: object) => (textIn(error, 'message') ?? '').slice(0, 2000);

/** Its codes: drivers have several names for them, and Redis has its code in the first word. */
function codesOf(error: object): readonly string[] {
  const codes = ['code', 'originalCode', 'kind', 'rawCode', 'name'].map((name) => textIn(error, name));
  return [...codes, /^[A-Z]{3,}\b/.exec(messageOf(error))?.[0]].filter((code) => code !== undefined);
}
