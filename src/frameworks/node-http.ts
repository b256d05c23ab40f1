import { type Answer, clientLeft, mergeVary } from '../core/endpoints.js';
import type { HealthCore } from '../core/health.js';
import { currentRequest, RequestContext, runInRequest } from '../core/request.js';
import { afterTurn } from '../core/turn.js';
import { headerOf, type NodeRequest, summaryOf } from './node-request.js';
import { sendStream } from './node-stream.js';
import { type NodeServer, watchServerOf, watchUpgrades } from './upgrade.js';

export type { NodeRequest, NodeServer };

// On the request itself: the asynchronous context can be that of another request where a client library loses it.
const tracked = Symbol.for('lifesign.request.1');
interface Tracked {
  [tracked]?: RequestContext;
}

/** What is used of a response of node:http, https or http2. */
export interface NodeResponse {
  readonly headersSent: boolean;
  readonly statusCode: number;
  readonly destroyed?: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished?: boolean;
  shouldKeepAlive?: boolean;
  /** Of HTTP/2. */
  readonly stream?: { readonly writableFinished: boolean };
  getHeader(name: string): string | number | readonly string[] | undefined;
  setHeader(name: string, value: string): unknown;
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  write(piece: string | Uint8Array, sent: () => void): unknown;
  end(body: string | Uint8Array): unknown;
  on(event: 'close', listener: () => void): unknown;
}

/**
 * Answers one of the three endpoints or goes on with `next`, inside the request's context, and logs the summary
 * when the response is over. Every framework that runs on node:http comes through here.
 */
export function serve<Request extends NodeRequest>(
  // An intersection infers nothing; `NoInfer` would need TypeScript 5.4 of every user.
  health: HealthCore<Request & {}>,
  req: Request & Tracked,
  res: NodeResponse,
  target: string,
  next: (context: RequestContext) => void,
): void {
  // An application mounted in another that has a Health too: one request, one summary.
  if (req[tracked] !== undefined) return next(req[tracked]);

  const { requestIdHeaderName, echoRequestId, requestContext, summary } = health.options;
  if (!summary && !echoRequestId) {
    // A load balancer's question leaves no trace: nothing has to be known of it.
    const ready = health.answerAtOnce(req.method ?? '', target);
    if (ready !== undefined) return write(req, res, ready);
  }
  const context = new RequestContext(() => headerOf(req, requestIdHeaderName), requestContext);
  req[tracked] = context;
  if (echoRequestId) res.setHeader(requestIdHeaderName, context.id);
  if (summary) {
    watchServerOf(health, req);
    res.on('close', () => {
      const code = res.headersSent ? res.statusCode : clientLeft;
      const complete = handedOver(res);
      context.end();
      afterwards(health, () => health.summarise(context, summaryOf(req, target, code, complete), req));
    });
  }
  runInRequest(context, () => {
    const answer = health.handle(req.method ?? '', target, req);
    if (answer === undefined) noting(context, next);
    else respond(req, res, answer);
  });
}

/** Whether something is to be known of a request while it is under way or when it is over. */
export function leavesTrace<Request>({ options }: HealthCore<Request>): boolean {
  return options.summary || options.echoRequestId || options.requestContext;
}

/** All there is to do where no request leaves a trace: answers one for an endpoint, and says whether it was. */
export function answers<Request extends NodeRequest>(
  health: HealthCore<Request>,
  req: Request,
  res: NodeResponse,
): boolean {
  const answer = health.handle(req.method ?? '', req.url ?? '', req);
  if (answer !== undefined) respond(req, res, answer);
  return answer !== undefined;
}

function respond(req: NodeRequest, res: NodeResponse, answer: Answer | Promise<Answer>): void {
  if (answer instanceof Promise) void answer.then((ready) => write(req, res, ready));
  else write(req, res, answer);
}

/** What is left to do for a request that is over: later where that is cheaper and nobody can tell the difference. */
function afterwards<Request>({ options: { logger, uid } }: HealthCore<Request>, work: () => void): void {
  if (logger.mayBeLate === true && uid === undefined) afterTurn(work);
  else work();
}

function handedOver(res: NodeResponse): boolean {
  // Fastify's inject() closes a response before it is written.
  if ('_lightMyRequest' in res) return res.writableEnded;
  return res.writableFinished ?? res.stream?.writableFinished ?? false;
}

function noting(context: RequestContext, next: (context: RequestContext) => void): void {
  try {
    next(context);
  } catch (thrown) {
    context.error = thrown;
    throw thrown;
  }
}

function write(req: NodeRequest, res: NodeResponse, answer: Answer): void {
  // The client may be gone, or a time-out of the server may have answered for us.
  if (res.headersSent || res.destroyed) return;
  // A connection that had a stream is worth no second request.
  if (answer.stream !== undefined) res.shouldKeepAlive = false;
  const { status, headers } = answer;
  const vary = res.getHeader('vary');
  res.writeHead(status, vary === undefined ? headers : { ...headers, Vary: mergeVary(String(vary)) });
  if (answer.stream === undefined) res.end(answer.bytes ?? answer.body);
  else void sendStream(req, res, answer.stream);
}

/** Remembers what the handler of a request threw, for its summary. */
export function noteError(req: NodeRequest & Tracked, error: unknown): void {
  if (req[tracked] !== undefined) req[tracked].error = error;
}

/** Tells where the framework keeps the user of a request, for its summary. */
export function noteUser(req: NodeRequest & Tracked, user: () => unknown): void {
  if (req[tracked] !== undefined) req[tracked].user = user;
}

/** Goes on inside the context of a request: the events of its body come without it. */
export function goOn(req: NodeRequest & Tracked, next: () => void): void {
  const context = req[tracked];
  if (context === undefined || context === currentRequest()) next();
  else runInRequest(context, next);
}

/** Serves a server's requests before every listener for them, those it has and those that are added later. */
export function serveFirst<Request extends NodeRequest>(
  health: HealthCore<Request>,
  server: NodeServer,
  before?: (res: NodeResponse) => void,
): void {
  const emit = server.emit.bind(server);
  watchUpgrades(health, server);
  const emitOther = server.emit.bind(server);
  const traced = leavesTrace(health);
  server.emit = (event, ...args) => {
    if (!isExchange<Request>(event, args)) return emitOther(event, ...args);
    const [req, res] = args;
    before?.(res);
    if (!traced) return answers(health, req, res) || emit(event, req, res);
    serve(health, req, res, req.url ?? '', () => emit(event, req, res));
    return true;
  };
}

function isExchange<Request>(
  event: string | symbol,
  args: readonly unknown[],
): args is [Request, NodeResponse] {
  return event === 'request' && args.length === 2;
}
