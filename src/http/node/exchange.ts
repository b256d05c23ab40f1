import { isDeferrable, type Logger } from '../../core/log.js';
import { RequestContext } from '../../core/request/request.js';
import { mayTrace } from '../../core/request/trace.js';
import type { Summary } from '../../core/request/summary.js';
import { defer } from '../../core/request/deferred.js';
import { headerOf, type NodeRequest, type NodeResponse } from './request.js';
import { clientHasLeft, type Outcome } from './outcome.js';

/** The part of a Health that is used, for any type of request. */
export interface Reporter {
  readonly options: {
    readonly logger: Logger;
    readonly uid: unknown;
    readonly summary: { readonly fields: unknown; readonly ignore: unknown } | undefined;
    readonly requestIdHeaderName: string;
    readonly requestContext: boolean;
    readonly traceIds: boolean;
  };
  /** Whether its end must be reported. */
  readonly tracks: boolean;
  readonly closed: boolean;
  onClose(close: () => void): () => void;
  summarise(context: RequestContext, summary: Summary): void;
}

// On the request itself: the asynchronous context can be that of another request if a client library loses it.
const tracked = Symbol.for('lifesign.exchange.1');

/** The key of the id of a request whose exchange has not begun. */
const early = Symbol.for('lifesign.early.1');

export interface Tracked {
  [tracked]?: Exchange;
  [early]?: { readonly givenId: string };
}

/** The `emit` of a request. */
export type Emit = (...args: never[]) => unknown;

/** A request and its answer, from the first look at it to its summary: one object is its context, and what the summary says of it. */
export class Exchange extends RequestContext implements Summary {
  /** Who logs it: the Health that watches the server, then the one that serves the request. */
  health: Reporter;
  readonly req: NodeRequest;
  target: string;
  /** The request's own `emit`, if it was replaced by one that runs inside its context. */
  emit: Emit | undefined;
  /** Whether a Health has had it: one that is mounted in another leaves it alone. */
  served = false;
  /** The status code of an answer that went past the response: Node's own, or the application's to a broken request. */
  refusedWith: number | undefined;
  code = 0;
  complete = false;
  cut: boolean | undefined;
  failed: boolean | undefined;
  isOver = false;
  /** Whether the connection closed before the answer began. */
  unanswered = false;
  readonly #res: NodeResponse | undefined;
  /** Looked up once: it takes longer than all else here. */
  readonly #mayTrace = mayTrace();

  constructor(health: Reporter, req: NodeRequest & Tracked, target: string, res?: NodeResponse) {
    super(req[early], health.options.requestContext);
    this.health = health;
    this.req = req;
    this.target = target;
    this.#res = res;
    req[tracked] = this;
  }

  override get givenId(): string | undefined {
    return super.givenId ?? headerOf(this.req, this.health.options.requestIdHeaderName);
  }
  get method(): string {
    const { method = '' } = this.req;
    return method;
  }
  get agent(): string | undefined {
    return this.req.headers['user-agent'];
  }
  get lang(): string | undefined {
    return this.req.headers['accept-language'];
  }

  /** A failure because the client has left is not an error of the server. */
  override noteError(error: unknown): void {
    if (this.#res === undefined || !clientHasLeft(this.req, this.#res)) super.noteError(error);
  }

  /** The connection closes. */
  noteEnd(): void {
    this.unanswered ||= this.#res?.headersSent === false;
  }

  /** A Health has it now. */
  serveBy(health: Reporter, target: string, isHealthRequest: boolean): void {
    this.served = true;
    this.health = health;
    this.target = target;
    this.isHealthRequest = isHealthRequest;
    this.lookForTrace();
  }

  /** Looks for the span of the server: called wherever the framework has the request. */
  lookForTrace(): void {
    if (this.#mayTrace && this.health.options.traceIds) this.noteTrace();
  }

  /** Reports it, once. */
  finish(outcome: Outcome): void {
    if (this.isOver) return;
    this.isOver = true;
    this.code = outcome.code;
    this.complete = outcome.complete;
    this.cut = outcome.cut;
    this.failed = outcome.failed;
    this.error ??= outcome.error;
    const { health } = this;
    if (!health.tracks) return;
    this.ended = performance.now();
    const { logger, uid, summary } = health.options;
    // Later if that is cheaper and makes no visible difference.
    const asks = uid !== undefined || summary?.fields !== undefined || typeof summary?.ignore === 'function';
    if (isDeferrable(logger) && !asks) reportLater(this);
    else this.report();
  }

  report(): void {
    this.health.summarise(this, this);
  }
}

/** Exchanges that ended in this turn. */
let ended: Exchange[] = [];

function reportLater(exchange: Exchange): void {
  ended.push(exchange);
  if (ended.length === 1) defer(reportEnded);
}

function reportEnded(): void {
  const all = ended;
  ended = [];
  // Two reads of the clocks for all of them: each takes as long as a line.
  const origin = Date.now() - performance.now();
  for (const exchange of all) {
    exchange.end(origin);
    exchange.report();
  }
}

/** The id of a request, even if its exchange has not begun. */
export function idOf({ options }: Reporter, req: NodeRequest & Tracked): string {
  const known = req[tracked];
  if (known !== undefined) return known.id;
  const given = { givenId: headerOf(req, options.requestIdHeaderName) };
  return (req[early] ??= { givenId: new RequestContext(given).id }).givenId;
}

/** The exchange that a request belongs to, once it has begun. */
export function exchangeOf(req: NodeRequest & Tracked): Exchange | undefined {
  return req[tracked];
}
