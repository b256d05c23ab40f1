import type { LogRecord, Scalar } from './log.js';
import { host } from './runtime.js';
import { textOf } from './scrub.js';

/** What lifesign knows of a request while it is under way. */
export class RequestContext {
  /** When it came, on the clock of `performance.now()`. */
  readonly started: number = performance.now();
  /** What its handler threw, if a framework told us. */
  error: unknown;
  readonly #given: string | undefined;
  #id: string | undefined;

  constructor(givenId: string | undefined) {
    this.#given = givenId;
  }

  /** The request's id: the one it came with, or a new one, made only when somebody asks. */
  get id(): string {
    this.#id ??= isUsableId(this.#given) ? this.#given : newId();
    return this.#id;
  }
}

const newId: () => string =
  host.getBuiltinModule?.('node:crypto').randomUUID ?? (() => globalThis.crypto.randomUUID());

/** One to 200 visible ASCII characters; anything else could forge a log line or flood it. */
function isUsableId(id: string | undefined): id is string {
  return id !== undefined && /^[\x21-\x7e]{1,200}$/.test(id);
}

const Storage = host.getBuiltinModule?.('node:async_hooks').AsyncLocalStorage;
const storage = Storage && new Storage<RequestContext | undefined>();

/** Runs `next` so that everything below it belongs to the request. */
export function runInRequest<T>(context: RequestContext, next: () => T): T {
  return storage === undefined ? next() : storage.run(context, next);
}

/** Runs `next` on behalf of nobody: what outlives the request that caused it must not carry its id. */
export function outsideRequest(next: () => void): void {
  if (storage === undefined) next();
  else storage.run(undefined, next);
}

/** The request that the current code runs for; undefined outside of one and on runtimes that cannot tell. */
export function currentRequest(): RequestContext | undefined {
  return storage?.getStore();
}

/**
 * The id of the request that the current code runs for.
 *
 * @example console.log(`charging card, request ${requestId()}`);
 */
export function requestId(): string | undefined {
  return currentRequest()?.id;
}

/** What a framework file knows of a request when it is over. */
export interface Summary {
  readonly method: string;
  /** The request target, with its query. */
  readonly target: string;
  readonly code: number;
  /** Whether the whole answer was handed over; false for a client that left or a stream that broke. */
  readonly complete: boolean;
  readonly agent: string | undefined;
  readonly lang: string | undefined;
}

/** The `request.summary` record of a request that is over. */
export function summaryRecord(context: RequestContext, summary: Summary, withQuery: boolean): LogRecord {
  const { method, target, code, complete, agent = '', lang = '' } = summary;
  // What the application threw and then answered with less than 500 was no failure (a 404, a refused form).
  const failed = context.error !== undefined && (code >= 500 || !complete);
  const query = target.indexOf('?');
  const fields: Record<string, Scalar> = {
    errno: code >= 500 ? code : failed ? 500 : 0,
    agent,
    lang,
    method,
    path: decode(query === -1 ? target : target.slice(0, query)),
    code,
    uid: '',
    rid: context.id,
    t: Math.round(performance.now() - context.started),
  };
  if (withQuery) fields['querystring'] = query === -1 ? '' : decode(target.slice(query + 1));
  const record = { logger: 'request.summary', time: Date.now(), fields };
  if (!failed) return { ...record, level: 20 };
  return { ...record, level: 40, msg: textOf(context.error) };
}

/** Percent-decoding that takes anything: what is no UTF-8 becomes a replacement character. */
function decode(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    const octets = Uint8Array.from(run.slice(1).split('%'), (pair) => Number.parseInt(pair, 16));
    return new TextDecoder().decode(octets);
  });
}
