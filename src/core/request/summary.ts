import { originForm } from '../endpoints.js';
import { type LogRecord, scalarsOf } from '../log.js';
import { type Scalar, type Fields } from '../heartbeat/messages.js';
import type { RequestContext } from './request.js';
import { cut, scrub, textOf } from '../scrub/scrub.js';
import { catchRejection, isObject } from '../objects.js';
import type { ResolvedOptions } from '../options/options.js';
import type { ResolvedSummary } from '../options/features.js';

/** The facts of a finished request that a framework file reports. */
export interface Summary {
  readonly method: string;
  /** The request target, with its query. */
  readonly target: string;
  readonly code: number;
  /** Whether the whole answer was handed over; false for a client that left or a stream that broke. */
  readonly complete: boolean;
  /** Whether the answer had begun and broke off. */
  readonly cut?: boolean | undefined;
  /** Whether it was this side that broke the connection off, and with which error. */
  readonly failed?: boolean | undefined;
  readonly error?: unknown;
  readonly agent: string | undefined;
  readonly lang: string | undefined;
}

const logger = 'request.summary';

/** The formatters leave out a message that looks like a JSON object, as other loggers send their fields. This one is text. */
export function errorMessage(error: unknown): string {
  const text = textOf(error);
  return text.startsWith('{') && text.endsWith('}') ? `Error: ${text}` : text;
}

/** A target with a fragment is invalid, and fragments do not belong in logs. */
function withoutFragment(target: string): string {
  const fragment = target.indexOf('#');
  return fragment === -1 ? target : target.slice(0, fragment);
}

const none: Fields = {};

/**
 * Which requests have a summary, and the fields that the application adds. Its functions are called with the framework's request: a
 * request that never reached the application has none.
 */
export function summaries(
  { healthEndpoints, querystring: withQuery, ignore, fields }: ResolvedSummary<never>,
  uid: ResolvedOptions<never>['uid'],
  onError: (msg: string, thrown?: unknown) => void,
) {
  /** Reads the result of a function of the application by `use`; `none` if it is asynchronous or throws. */
  const call = <T>(
    option: string,
    given: ((request: never) => unknown) | undefined,
    request: unknown,
    use: (result: unknown) => T,
    none: T,
  ): T => {
    if (request === undefined || given === undefined) return none;
    try {
      const result: unknown = Reflect.apply(given, undefined, [request]);
      const rejected = (thrown: unknown) => onError(`The ${option} option rejected`, thrown);
      return catchRejection(result, rejected) ? none : use(result);
    } catch (thrown) {
      onError(`The ${option} option threw`, thrown);
      return none;
    }
  };
  // Operators search for failed requests: these are never left out.
  const isLogged = ({ code }: Summary) =>
    healthEndpoints === true || (healthEndpoints !== false && (code >= 400 || isDrawn(healthEndpoints)));
  const isIgnored = ({ target, code }: Summary, request: unknown) =>
    code < 500 &&
    (typeof ignore === 'function'
      ? call('summary.ignore', ignore, request, isDrawn, false)
      : isListed(target, ignore));
  /** The record of a finished request, for an endpoint of lifesign or not; undefined if none is wanted. */
  return (context: RequestContext, summary: Summary, isHealthRequest: boolean): LogRecord | undefined => {
    const { request } = context;
    if (isHealthRequest ? !isLogged(summary) : isIgnored(summary, request)) return undefined;
    const { method, target, code, complete, agent = '', lang = '' } = summary;
    const error = context.error ?? summary.error;
    // An error that the application answered with less than 500 was not a failure (a 404, a rejected form).
    const failed = error !== undefined && (code >= 500 || !complete);
    const sent = withoutFragment(originForm(target));
    const query = sent.indexOf('?');
    const errno = code >= 500 ? code : failed || summary.failed === true ? 500 : 0;
    const record: Record<string, Scalar> = {
      errno,
      agent,
      lang,
      method,
      path: decode(query === -1 ? sent : sent.slice(0, query)),
      code,
      uid: uid === undefined ? userOf(context) : call('uid', uid, request, uidText, ''),
      rid: context.id,
      t: Math.round(context.ended - context.started),
    };
    if (summary.cut === true) record['cut'] = true;
    if (context.trace !== undefined) {
      record['trace_id'] = context.trace.trace_id;
      record['span_id'] = context.trace.span_id;
    }
    // Names and values may be encoded: scrubbed before and after.
    if (withQuery) record['querystring'] = query === -1 ? '' : scrub(decode(scrub(sent.slice(query + 1))));
    const own = call('summary.fields', fields, request, fieldsOf, none);
    for (const [name, value] of Object.entries(own)) record[name] ??= value;
    const { endedAt: time } = context;
    if (failed) return { logger, level: 40, time, fields: record, msg: errorMessage(error) };
    // The checks log their failures themselves, at their level.
    return { logger, level: errno === 0 || isHealthRequest ? 20 : 30, time, fields: record };
  };
}

/** `true`, or the probability of it. */
const isDrawn = (answer: unknown) =>
  answer === true || (typeof answer === 'number' && Math.random() < answer);

const fieldsOf = (given: unknown) => (isObject(given) ? scalarsOf(given) : none);

/** A pattern is a path, or the beginning of one with a star at its end. */
function isListed(target: string, patterns: readonly string[]): boolean {
  if (patterns.length === 0) return false;
  const path = originForm(target).split(/[?#]/, 1)[0] ?? '';
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
  );
}

/** Longer than any id: a token that was taken for one must not flood the log. */
const maxLength = 200;

/** Where passport, token middleware and the usual models keep the id of a user. */
const names = ['id', 'uid', 'sub', 'userId', 'user_id', '_id'] as const;

/** The user of a request, as authentication has set it: where the framework keeps it, or `request.user`. */
function userOf({ request, user }: RequestContext): string {
  if (!isObject(request)) return '';
  try {
    const known = uidText(user && Reflect.apply(user, undefined, [request]));
    return known || ('user' in request ? uidText(request.user) : '');
  } catch {
    return '';
  }
}

/** A user, or an id itself, as the field `uid`: scalars only. */
function uidText(user: unknown): string {
  if (!isObject(user)) return scalarText(user);
  for (const name of names) {
    const text = scalarText(Reflect.get(user, name));
    if (text !== '') return text;
  }
  return '';
}

function scalarText(value: unknown): string {
  const scalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  return scalar ? String(value).slice(0, maxLength) : '';
}

/** Characters that the log keeps of a path or a query: clients send up to 16 KB. */
export const maxLoggedLength = 4096;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Percent-decoding that accepts anything: bytes that are not UTF-8 become a replacement character.
 * A text of more than 4096 characters is cut there and ends with `…`.
 */
export function decode(text: string): string {
  // The usual case.
  if (text.length <= maxLoggedLength && !text.includes('%')) return text;
  try {
    return cut(decodeURIComponent(text), maxLoggedLength);
  } catch {
    return cut(text.replace(/(?:%[\da-f]{2})+/gi, decodeRun), maxLoggedLength);
  }
}

function decodeRun(run: string): string {
  return decoder.decode(Uint8Array.from(run.slice(1).split('%'), (octet) => Number.parseInt(octet, 16)));
}
