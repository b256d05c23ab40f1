import { isDeferrable, type Logger } from '../../core/log.js';
import { type IdSource, RequestContext } from '../../core/request/request.js';
import type { Summary } from '../../core/request/summary.js';
import { defer } from '../../core/request/deferred.js';
import { headerOf, type NodeRequest, type NodeResponse } from './request.js';
import { isConnection, onOver } from './over.js';
import { type Outcome, outcomeOf } from './outcome.js';

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
/** The key under which a connection keeps the exchange that began last. */
const latest = Symbol.for('lifesign.latest.1');

/** The key of the facts about a request that are known before its exchange begins. */
const early = Symbol.for('lifesign.early.1');

export interface Tracked {
  [tracked]?: Exchange;
  [early]?: RequestContext;
}
interface Carrying {
  [latest]?: Exchange | undefined;
}

/** Of an exchange that is not over. */
const notOver: Outcome = { code: 0, complete: false };

/** The `emit` of a request. */
export type Emit = (...args: never[]) => unknown;

/** A request and its answer, from the first look at it to its summary, which it carries itself. */
export class Exchange implements Summary, IdSource {
  /** Who logs it: the Health that watches the server, then the one that serves the request. */
  health: Reporter;
  readonly req: NodeRequest;
  readonly context: RequestContext;
  target: string;
  /** The request's own `emit`, if it was replaced by one that runs inside its context. */
  emit: Emit | undefined;
  /** Whether a Health has had it: one that is mounted in another leaves it alone. */
  served = false;
  /** The status code of an answer that went past the response: Node's own, or the application's to a broken request. */
  refusedWith: number | undefined;
  #outcome = notOver;

  constructor(health: Reporter, req: NodeRequest & Tracked, target: string) {
    this.health = health;
    this.req = req;
    this.target = target;
    this.context = req[early] ?? new RequestContext(this, health.options.requestContext);
    req[tracked] = this;
  }

  get givenId(): string | undefined {
    return headerOf(this.req, this.health.options.requestIdHeaderName);
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
  get code(): number {
    return this.#outcome.code;
  }
  get complete(): boolean {
    return this.#outcome.complete;
  }
  get cut(): boolean | undefined {
    return this.#outcome.cut;
  }
  get failed(): boolean | undefined {
    return this.#outcome.failed;
  }
  get error(): unknown {
    return this.#outcome.error;
  }

  /** A Health has it now. */
  serveBy(health: Reporter, target: string, isHealthRequest: boolean): void {
    this.served = true;
    this.health = health;
    this.target = target;
    this.context.isHealthRequest = isHealthRequest;
    this.noteTrace();
  }

  /** Looks for the span of the server: called wherever the framework has the request. */
  noteTrace(): void {
    if (this.health.options.traceIds) this.context.noteTrace();
  }

  /** Reports it, once. */
  end(outcome: Outcome): void {
    if (this.#outcome !== notOver) return;
    this.#outcome = outcome;
    const { health, context } = this;
    if (!health.tracks) return;
    const { logger, uid, summary } = health.options;
    context.end();
    // Later if that is cheaper and makes no visible difference.
    const asks = uid !== undefined || summary?.fields !== undefined || typeof summary?.ignore === 'function';
    if (isDeferrable(logger) && !asks) reportLater(this);
    else this.report();
  }

  report(): void {
    this.health.summarise(this.context, this);
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
  for (const exchange of all) exchange.report();
}

/** The context of a request whose exchange has not begun. */
function earlyContext({ options }: Reporter, req: NodeRequest): RequestContext {
  const { requestIdHeaderName, requestContext } = options;
  return new RequestContext({ givenId: headerOf(req, requestIdHeaderName) }, requestContext);
}

/** The id of a request, even if its exchange has not begun. */
export function idOf(health: Reporter, req: NodeRequest & Tracked): string {
  return (req[tracked]?.context ?? (req[early] ??= earlyContext(health, req))).id;
}

/** The exchange that a request belongs to, once it has begun. */
export function exchangeOf(req: NodeRequest & Tracked): Exchange | undefined {
  return req[tracked];
}

/** The exchange that began last on a connection and is not over. */
export function latestOf(socket: object & Carrying): Exchange | undefined {
  return socket[latest];
}

/** Whether a connection has had an exchange. */
export function hasCarried(socket: object): boolean {
  return latest in socket;
}

/** Notices a request; its summary is logged when the response ends, however that comes. */
export function begin(health: Reporter, req: NodeRequest, res: NodeResponse, target: string): Exchange {
  const exchange = new Exchange(health, req, target);
  if (!health.tracks) return exchange;
  // Streams of HTTP/2 share their socket, and each has its own event for its end.
  const socket: (object & Carrying) | undefined = req.httpVersionMajor === 1 ? req.socket : undefined;
  if (socket !== undefined) socket[latest] = exchange;
  onOver(req, res, () => {
    if (socket?.[latest] === exchange) socket[latest] = undefined;
    exchange.end(outcomeOf(req, res, exchange.refusedWith));
  });
  // Without a connection, as on serverless platforms, a response is finished and never closes.
  if (!isConnection(req.socket))
    res.on('finish', () => exchange.end({ code: res.statusCode, complete: true }));
  return exchange;
}
