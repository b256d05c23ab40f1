import { isFailure, originForm } from '../endpoints.js';
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

/** The facts that the Health adds. */
interface SummaryAdditions {
  readonly uid: string;
  /** Fields of the application's own. */
  readonly own: Readonly<Record<string, Scalar>>;
  /** Whether it was for an endpoint of lifesign: the checks log their failures themselves, at their level. */
  readonly isHealthRequest: boolean;
  readonly withQuery: boolean;
}

const logger = 'request.summary';

/** The `request.summary` record of a request that has ended. */
function summaryRecord(context: RequestContext, summary: Summary, additions: SummaryAdditions): LogRecord {
  const { method, target, code, complete, agent = '', lang = '' } = summary;
  const error = context.error ?? summary.error;
  // An error that the application answered with less than 500 was not a failure (a 404, a rejected form).
  const failed = error !== undefined && (code >= 500 || !complete);
  const sent = withoutFragment(originForm(target));
  const query = sent.indexOf('?');
  const fields: Record<string, Scalar> = {
    errno: code >= 500 ? code : failed || summary.failed === true ? 500 : 0,
    agent,
    lang,
    method,
    path: decode(query === -1 ? sent : sent.slice(0, query)),
    code,
    uid: additions.uid,
    rid: context.id,
    t: Math.round(context.ended - context.started),
  };
  if (context.age !== undefined) fields['heartbeat_age'] = context.age;
  if (summary.cut === true) fields['cut'] = true;
  if (context.trace !== undefined) {
    fields['trace_id'] = context.trace.trace_id;
    fields['span_id'] = context.trace.span_id;
  }
  // Names may be encoded, values too: before and after.
  if (additions.withQuery)
    fields['querystring'] = query === -1 ? '' : scrub(decode(scrub(sent.slice(query + 1))));
  for (const [name, value] of Object.entries(additions.own)) fields[name] ??= value;
  // Written out: a spread would take as long as all the rest.
  const { endedAt: time } = context;
  if (!failed)
    return { logger, level: fields['errno'] === 0 || additions.isHealthRequest ? 20 : 30, time, fields };
  return { logger, level: 40, time, fields, msg: messageOf(error) };
}

/** The formatters leave out a message that looks like a JSON object, as other loggers send their fields. This one is text. */
export function messageOf(error: unknown): string {
  const text = textOf(error);
  return text.startsWith('{') && text.endsWith('}') ? `Error: ${text}` : text;
}

/** Whether the request of a health endpoint is logged: a rate applies to successful ones. */
function isSampled(rate: boolean | number, code: number): boolean {
  // Operators look for failing probes.
  return rate === true || (rate !== false && (isFailure(code) || Math.random() < rate));
}

/** A target with a fragment is invalid, and fragments do not belong in logs. */
function withoutFragment(target: string): string {
  const fragment = target.indexOf('#');
  return fragment === -1 ? target : target.slice(0, fragment);
}

const none: Fields = {};

/** The record of a finished request, for an endpoint of lifesign or not; undefined if none is wanted. */
type RecordOf = (
  context: RequestContext,
  summary: Summary,
  isHealthRequest: boolean,
) => LogRecord | undefined;

/**
 * Which requests have a summary, and the fields that the application adds. Its functions are called with the framework's request: a
 * request that never reached the application has none.
 */
export function summaries(
  { healthEndpoints, querystring: withQuery, ignore, fields }: ResolvedSummary<never>,
  uid: ResolvedOptions<never>['uid'],
  onError: (msg: string, thrown?: unknown) => void,
): RecordOf {
  const onUidError = (thrown: unknown) => onError('The uid of a request cannot be read', thrown);
  /** The result of a function of the application; undefined if it throws or is asynchronous. */
  const call = (option: string, given: (request: never) => unknown, request: unknown): unknown => {
    if (request === undefined) return undefined;
    try {
      const result: unknown = Reflect.apply(given, undefined, [request]);
      const rejected = (thrown: unknown) => onError(`The ${option} option rejected`, thrown);
      if (catchRejection(result, rejected)) return undefined;
      return result;
    } catch (thrown) {
      onError(`The ${option} option threw`, thrown);
      return undefined;
    }
  };
  const ignores = ({ target, code }: Summary, request: unknown): boolean => {
    // Operators look for failed requests.
    if (code >= 500) return false;
    if (typeof ignore !== 'function') return ignore.length > 0 && isListed(target, ignore);
    const ignored = call('summary.ignore', ignore, request);
    return ignored === true || (typeof ignored === 'number' && Math.random() < ignored);
  };
  const ownOf = (request: unknown): Fields => {
    const given = fields && call('summary.fields', fields, request);
    if (!isObject(given)) return none;
    try {
      return scalarsOf(given);
    } catch (thrown) {
      onError('The summary.fields option threw', thrown);
      return none;
    }
  };
  return (context, summary, isHealthRequest) => {
    const { request } = context;
    if (isHealthRequest ? !isSampled(healthEndpoints, summary.code) : ignores(summary, request))
      return undefined;
    return summaryRecord(context, summary, {
      uid: uidOf(context, uid, onUidError),
      own: ownOf(request),
      isHealthRequest,
      withQuery,
    });
  };
}

/** A pattern is a path, or the beginning of one with a star at its end. */
function isListed(target: string, patterns: readonly string[]): boolean {
  const path = originForm(target).split(/[?#]/, 1)[0] ?? '';
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
  );
}

/** Longer than any id; a token that was taken for one must not flood the log. */
const maxLength = 200;

/** Where passport, token middleware and the usual models keep the id of a user. */
const names = ['id', 'uid', 'sub', 'userId', 'user_id', '_id'] as const;

/**
 * The user of a request: by the option, or as authentication has set it, `request.user.id` and the like.
 * Empty if the user is unknown, and for a request that never reached the application.
 */
function uidOf(
  { request, user: find }: RequestContext,
  option: ((request: never) => unknown) | undefined,
  onError: (thrown: unknown) => void,
): string {
  if (!isObject(request)) return '';
  try {
    if (option !== undefined) {
      const user: unknown = Reflect.apply(option, undefined, [request]);
      // An async function gives no user in time.
      return catchRejection(user, onError) ? '' : uidText(user);
    }
    const user: unknown = find && Reflect.apply(find, undefined, [request]);
    return uidText(user) || ('user' in request ? uidText(request.user) : '');
  } catch (thrown) {
    onError(thrown);
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
 * Percent-decoding that takes anything: bytes that are not UTF-8 become a replacement character.
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
