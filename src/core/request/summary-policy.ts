import { originForm } from '../endpoints.js';
import { catchRejection } from '../guard.js';
import { type Fields, scalarsOf } from '../fields.js';
import type { LogRecord } from '../log.js';
import type { ResolvedOptions } from '../options/options.js';
import type { ResolvedSummary } from '../options/summary.js';
import type { RequestContext } from './request.js';
import { isSampled, type Summary, summaryRecord } from './summary.js';
import { uidOf } from './uid.js';
import { isObject } from '../objects.js';

const none: Fields = {};

/** Which requests have a summary, and the fields that the application adds. */
export class SummaryPolicy {
  readonly #options: ResolvedSummary<never>;
  readonly #uid: ResolvedOptions<never>['uid'];
  readonly #onError: (msg: string, thrown?: unknown) => void;

  constructor(
    options: ResolvedSummary<never>,
    uid: ResolvedOptions<never>['uid'],
    onError: (msg: string, thrown?: unknown) => void,
  ) {
    this.#options = options;
    this.#uid = uid;
    this.#onError = onError;
  }

  /**
   * The record of a finished request; undefined if none is wanted. The application's functions are called
   * with the framework's request: a request that never reached the application has none.
   * `isHealthRequest`: whether it was for an endpoint of lifesign.
   */
  recordOf(context: RequestContext, summary: Summary, isHealthRequest: boolean): LogRecord | undefined {
    const { healthEndpoints, querystring, traceback } = this.#options;
    if (isHealthRequest && !isSampled(healthEndpoints, summary.code)) return undefined;
    if (!isHealthRequest && this.#ignores(summary, context.request)) return undefined;
    return summaryRecord(context, summary, {
      uid: uidOf(context, this.#uid, this.#onUidError),
      own: this.#fieldsOf(context.request),
      isHealthRequest,
      withQuery: querystring,
      withTraceback: traceback,
    });
  }

  readonly #onUidError = (thrown: unknown): void =>
    this.#onError('The uid of a request cannot be read', thrown);

  /** Whether a request is left out. A failed one never is: operators look for it. */
  #ignores({ target, code }: Summary, request: unknown): boolean {
    const { ignore } = this.#options;
    if (code >= 500) return false;
    if (typeof ignore !== 'function') return ignore.length > 0 && isListed(target, ignore);
    const ignored = this.#callOption('summary.ignore', ignore, request);
    return ignored === true || (typeof ignored === 'number' && Math.random() < ignored);
  }

  /** The application's own fields. Scalars only; those of lifesign are not replaced. */
  #fieldsOf(request: unknown): Fields {
    const { fields: read } = this.#options;
    if (read === undefined) return none;
    const given = this.#callOption('summary.fields', read, request);
    if (!isObject(given)) return none;
    return this.#call('summary.fields', () => scalarsOf(given)) ?? none;
  }

  /** The value of an option for a request that reached the application. */
  #callOption(name: string, option: (request: never) => unknown, request: unknown): unknown {
    if (request === undefined) return undefined;
    return this.#call<unknown>(name, () => Reflect.apply(option, undefined, [request]));
  }

  /** The result of the user's function; undefined if it throws or is asynchronous. */
  #call<T>(option: string, run: () => T): T | undefined {
    try {
      const given = run();
      const asynchronous = catchRejection(given, (thrown) =>
        this.#onError(`The ${option} option rejected`, thrown),
      );
      return asynchronous ? undefined : given;
    } catch (thrown) {
      this.#onError(`The ${option} option threw`, thrown);
      return undefined;
    }
  }
}

/** A pattern is a path, or the beginning of one with a star at its end. */
function isListed(target: string, patterns: readonly string[]): boolean {
  const path = originForm(target).split(/[?#]/, 1)[0] ?? '';
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
  );
}
