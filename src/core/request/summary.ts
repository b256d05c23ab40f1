import { isFailure, originForm } from '../endpoints.js';
import { decode } from './percent.js';
import type { LogRecord, Scalar } from '../log.js';
import type { RequestContext } from './request.js';
import { scrub, textOf } from '../scrub/scrub.js';

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
export interface SummaryAdditions {
  readonly uid: string;
  /** Fields of the application's own. */
  readonly own: Readonly<Record<string, Scalar>>;
  /** Whether it was for an endpoint of lifesign: the checks log their failures themselves, at their level. */
  readonly isHealthRequest: boolean;
  readonly withQuery: boolean;
  readonly withTraceback: boolean;
}

const logger = 'request.summary';

/** The `request.summary` record of a request that has ended. */
export function summaryRecord(
  context: RequestContext,
  summary: Summary,
  additions: SummaryAdditions,
): LogRecord {
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
  const record = { logger, level: 40, time, fields, msg: messageOf(error) } as const;
  return additions.withTraceback ? { ...record, error } : record;
}

/** The formatters leave out a message that looks like a JSON object, as other loggers send their fields. This one is text. */
export function messageOf(error: unknown): string {
  const text = textOf(error);
  return text.startsWith('{') && text.endsWith('}') ? `Error: ${text}` : text;
}

/** Whether the request of a health endpoint is logged: a rate applies to successful ones. */
export function isSampled(rate: boolean | number, code: number): boolean {
  // Operators look for failing probes.
  return rate === true || (rate !== false && (isFailure(code) || Math.random() < rate));
}

/** A target with a fragment is invalid, and fragments do not belong in logs. */
function withoutFragment(target: string): string {
  const fragment = target.indexOf('#');
  return fragment === -1 ? target : target.slice(0, fragment);
}
