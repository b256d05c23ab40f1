import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { clientLeft } from '../../core/endpoints.js';
import type { HealthCore } from '../../core/health.js';
import { defer, isDeferrable } from '../../core/log.js';
import { mayTrace, RequestContext, runInRequest } from '../../core/request/request.js';
import type { Summary } from '../../core/request/summary.js';

/** A request of node:http, https or http2. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** The parts of a node:http, https or http2 response that are used. */
export interface NodeResponse {
  readonly headersSent: boolean;
  readonly statusCode: number;
  readonly destroyed?: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished?: boolean;
  shouldKeepAlive?: boolean;
  /** Null while others are before it on its connection. */
  readonly socket?: object | null;
  /** The error it was destroyed with. */
  readonly errored?: Error | null;
  /** Of HTTP/2. */
  readonly stream?: {
    readonly writableFinished: boolean;
    readonly destroyed?: boolean;
    /** Whether neither side can send more. */
    readonly closed?: boolean;
    once?(event: 'close' | 'aborted' | 'end', listener: () => void): unknown;
    readonly rstCode?: number | undefined;
    readonly errored?: Error | null;
  };
  getHeader(name: string): string | number | readonly string[] | undefined;
  setHeader(name: string, value: string): unknown;
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  end(body: string | Uint8Array): unknown;
  destroy?(): unknown;
  on(event: 'close' | 'finish', listener: () => void): unknown;
}

export type HealthOnNode = HealthCore<never>;

// On the request itself: the asynchronous context can be another request's if a client library loses it.
const tracked = Symbol.for('lifesign.exchange.1');
/** The key of the id of a request whose exchange has not begun. */
const early = Symbol.for('lifesign.early.1');
/** The exchanges that are open on a connection. */
const open = new WeakMap<object, Map<Exchange, NodeResponse>>();

interface Tracked {
  [tracked]?: Exchange;
  [early]?: { readonly givenId: string };
}

/** A request and its answer, from its first bytes to its summary: one object is its context, and what its summary contains. */
export class Exchange extends RequestContext implements Summary {
  /** Who logs it: the Health that watches the server, then the one that serves the request. */
  health: HealthOnNode;
  readonly req: NodeRequest;
  target: string;
  /** Whether a Health has had it: one that is mounted in another leaves it alone. */
  served = false;
  code = 0;
  complete = false;
  cut: boolean | undefined;
  failed: boolean | undefined;
  isOver = false;
  /** Whether the connection closed before the answer began. */
  #isUnanswered = false;
  readonly #res: NodeResponse | undefined;
  /** Looked up once: it takes longer than all else here. */
  readonly #mayTrace = mayTrace();

  constructor(health: HealthOnNode, req: NodeRequest & Tracked, target: string, res?: NodeResponse) {
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

  /** The connection closes. Before Node 24, a response that waits for those before it gets no event then. */
  noteClosed(res: NodeResponse): void {
    this.#isUnanswered ||= !res.headersSent;
    if (res.socket === null) this.conclude(res);
  }

  serveBy(health: HealthOnNode, target: string, isHealthRequest: boolean): void {
    this.served = true;
    this.health = health;
    this.target = target;
    this.isHealthRequest = isHealthRequest;
    this.lookForTrace();
  }

  /** Finds the span of the server: called wherever the framework has the request. */
  lookForTrace(): void {
    if (this.#mayTrace) this.noteTrace();
  }

  conclude(res: NodeResponse): void {
    if (this.isOver) return;
    const { req } = this;
    // One that is written to a closed connection counts as finished.
    if (!this.#isUnanswered && handedOver(req, res)) return this.finish(res.statusCode, true);
    // Whether its first byte was sent: a response that waits for earlier ones on its connection buffers its bytes.
    const begun = !this.#isUnanswered && res.headersSent && res.socket !== null;
    this.cut = begun;
    this.failed = brokenHere(req, res);
    if (this.failed) this.error ??= res.errored ?? res.stream?.errored ?? undefined;
    this.finish(begun ? res.statusCode : clientLeft, false);
  }

  finish(code: number, complete: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    this.code = code;
    this.complete = complete;
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

  /**
   * Emits the events of the body inside the context of the request, and so everything that busboy and others make of them:
   * they come from the parser, which knows no context.
   */
  keepContext(): void {
    if (!this.propagated || !mayHaveBody(this.req)) return;
    const emitter: Emitter = this.req;
    if (Object.hasOwn(emitter, 'emit')) return;
    const { emit } = emitter;
    // A plain assignment: `Reflect.set` takes ten times as long.
    emitter.emit = (...args) => runInRequest(this, Reflect.apply, emit, emitter, args);
  }
}

interface Emitter {
  emit: (...args: never[]) => unknown;
}

/** Whether events may come from the parser later. Requests of HTTP/2 and of serverless platforms do not say. */
function mayHaveBody({ headers, httpVersionMajor, socket }: NodeRequest): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  return length !== '0' || encoding !== undefined || httpVersionMajor !== 1 || !isConnection(socket);
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

/** A request header as one text: of several, the first. */
function headerOf(req: NodeRequest, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The id of a request, even if its exchange has not begun. */
export function idOf({ options }: HealthOnNode, req: NodeRequest & Tracked): string {
  const known = req[tracked];
  if (known !== undefined) return known.id;
  const given = { givenId: headerOf(req, options.requestIdHeaderName) };
  return (req[early] ??= { givenId: new RequestContext(given).id }).givenId;
}

export function exchangeOf(req: NodeRequest & Tracked): Exchange | undefined {
  return req[tracked];
}

/** Whether a request came over a connection: on serverless platforms it has an object of their own. */
function isConnection<S extends object>(socket: S | undefined): socket is S {
  return socket !== undefined && 'once' in socket;
}

/** Notices a request; its summary is logged when the response ends, however that comes. */
export function begin(health: HealthOnNode, req: NodeRequest, res: NodeResponse, target: string): Exchange {
  const exchange = new Exchange(health, req, target, res);
  if (!health.tracks) return exchange;
  // Streams of HTTP/2 share their socket, and each has its own event for its end.
  const exchanges = req.httpVersionMajor === 1 ? openOn(req.socket) : undefined;
  exchanges?.set(exchange, res);
  const over = () => {
    exchanges?.delete(exchange);
    exchange.conclude(res);
  };
  res.on('close', over);
  if (res.stream !== undefined) onStreamOver(res.stream, over);
  // Without a connection, as on serverless platforms, a response is finished and never closes.
  if (!isConnection(req.socket)) res.on('finish', () => exchange.finish(res.statusCode, true));
  return exchange;
}

/** The open exchanges of a connection; created with the first request. */
function openOn(socket: NodeRequest['socket']): Map<Exchange, NodeResponse> | undefined {
  if (!isConnection(socket)) return undefined;
  const known = open.get(socket);
  if (known !== undefined) return known;
  const exchanges = new Map<Exchange, NodeResponse>();
  open.set(socket, exchanges);
  // Before the application hears of it: an answer that begins after the connection closed is not read.
  socket.prependOnceListener('close', () => {
    for (const [exchange, res] of exchanges) exchange.noteClosed(res);
  });
  return exchanges;
}

/** Milliseconds that the last bytes may take to leave a stream that is closed on both sides. */
const maxToLeave = 5000;

/** HTTP/2: if its session is destroyed, a response to HEAD that has not begun gets no event; its stream does. */
function onStreamOver(stream: NonNullable<NodeResponse['stream']>, over: () => void): void {
  stream.once?.('close', over);
  if (stream.destroyed === true) setImmediate(over);
  // A client that resets its stream without an error code may leave a write in the stream that never ends. Node waits for that
  // write before it closes the stream, and then neither the session nor the socket ever closes.
  stream.once?.('aborted', () => void setImmediate(over));
  stream.once?.('end', () => {
    if (stream.closed !== true || stream.writableFinished) return;
    const late = setTimeout(over, maxToLeave).unref();
    stream.once?.('close', () => clearTimeout(late));
  });
}

/** The answer was handed to the operating system, to its last byte. */
function handedOver(req: NodeRequest, res: NodeResponse): boolean {
  // Properties that a response has come first: after Express has changed its prototype, looking for a missing one takes microseconds.
  // One that was ended and destroyed with an error at once counts as finished: @hono/node-server does that to a body that broke.
  if (req.httpVersionMajor === 1 && res.writableFinished === true) return !res.errored;
  // Fastify's inject() closes a response before it is written.
  if ('_lightMyRequest' in res) return res.writableEnded;
  if (res.stream === undefined) return res.writableFinished === true && !res.errored;
  // Node ends the stream by itself if the client has reset it.
  return res.writableEnded && res.stream.writableFinished;
}

interface Ended {
  readonly writable?: boolean;
  readonly readableEnded?: boolean;
  readonly errored?: object | null;
}

/** Whether the client has broken the connection off before it had all of its answer. */
function clientHasLeft(req: NodeRequest, res: NodeResponse): boolean {
  if (handedOver(req, res)) return false;
  const { socket }: { socket?: Ended } = req;
  const gone = res.stream === undefined ? socket?.writable === false : res.stream.destroyed === true;
  return gone && !brokenHere(req, res);
}

/** HTTP/2's codes for a stream that was ended without an error, and for one that was destroyed with an error. */
const [noError, internalError] = [0, 2];

/** Whether it was this side that broke the answer off, and not the client. */
function brokenHere(req: NodeRequest, res: NodeResponse): boolean {
  if (res.stream !== undefined) {
    const { rstCode, errored } = res.stream;
    return rstCode === noError || (rstCode === internalError && !!errored && !isOfConnection(errored));
  }
  const { socket }: { socket?: Ended } = req;
  if (socket === undefined || socket.readableEnded === true) return false;
  const { errored } = socket;
  return !errored || errored === res.errored || !isOfConnection(errored);
}

/** An error of the connection itself, and not one that the application gave to `destroy()`. */
function isOfConnection(error: object): boolean {
  return 'code' in error && /^(ECONN|EPIPE$|ETIMEDOUT$|HPE_|ERR_(HTTP2?|SSL|TLS)_)/.test(String(error.code));
}
