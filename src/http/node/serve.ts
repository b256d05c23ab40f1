import { type Answer, mergeVary } from '../../core/endpoints.js';
import type { Engine } from '../../core/engine.js';
import { type RequestContext, runInRequest } from '../../core/request/request.js';
import { keepContext } from './body-events.js';
import { begin, exchangeOf } from './exchange.js';
import type { NodeRequest, NodeResponse } from './request.js';
import { sendStream } from './stream.js';
import { isExchange, type NodeServer, watchServer, watchServerOf } from './watch-server.js';

export type { NodeRequest, NodeResponse, NodeServer };

/**
 * Answers one of the three endpoints or goes on with `next`, inside the request's context, and logs the summary
 * when the response is over. Every framework that runs on node:http comes through here.
 */
export function serve<Request extends NodeRequest>(
  // An intersection infers nothing; `NoInfer` would need TypeScript 5.4 of every user.
  engine: Engine<Request & {}>,
  req: Request,
  res: NodeResponse,
  target: string,
  next: (context: RequestContext) => void,
): void {
  const known = exchangeOf(req);
  // An application mounted in another that has a Health too: one request, one summary.
  if (known?.served === true) return next(known.context);

  const { requestIdHeaderName, echoRequestId, summary } = engine.options;
  if (known === undefined) {
    if (summary) watchServerOf(engine, req);
    else if (!echoRequestId) {
      // A load balancer's question leaves no trace: nothing has to be known of it.
      const ready = engine.answerAtOnce(req.method ?? '', target);
      if (ready !== undefined) return writeSafely(req, res, ready);
    }
  }
  const exchange = known ?? begin(engine, req, res, target);
  exchange.served = true;
  exchange.health = engine;
  exchange.target = target;
  const { context } = exchange;
  if (echoRequestId) res.setHeader(requestIdHeaderName, context.id);
  keepContext(req);
  runInRequest(context, () => {
    const answer = engine.handle(req.method ?? '', target, req);
    if (answer === undefined) noting(context, next);
    else respond(req, res, answer);
  });
}

/** Whether something is to be known of a request while it is under way or when it is over. */
export function leavesTrace<Request>({ options }: Engine<Request>): boolean {
  return options.summary || options.echoRequestId || options.requestContext;
}

/** All there is to do where no request leaves a trace: answers one for an endpoint, and says whether it was. */
export function answers<Request extends NodeRequest>(
  engine: Engine<Request>,
  req: Request,
  res: NodeResponse,
): boolean {
  const answer = engine.handle(req.method ?? '', req.url ?? '', req);
  if (answer !== undefined) respond(req, res, answer);
  return answer !== undefined;
}

/** Writes an answer when it is there. */
export function respond(req: NodeRequest, res: NodeResponse, answer: Answer | Promise<Answer>): void {
  if (answer instanceof Promise) void answer.then((ready) => writeSafely(req, res, ready));
  else writeSafely(req, res, answer);
}

/** Others may have put functions of theirs on a response: one that throws ends this answer and not the process. */
function writeSafely(req: NodeRequest, res: NodeResponse, answer: Answer): void {
  try {
    write(req, res, answer);
  } catch {
    res.destroy?.();
  }
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

/** A request, or what a framework makes of it: Fastify's and AdonisJS' own, the context of Koa and of AdonisJS. */
export type RequestLike =
  | NodeRequest
  | { readonly raw: NodeRequest }
  | { readonly req: NodeRequest }
  | { readonly request: NodeRequest | { readonly request: NodeRequest } };

/**
 * Tells the summary of a request what its handler threw, for handlers that catch their own errors. It takes what the
 * framework calls a request.
 *
 * @example catch (error) { noteError(request, error); … }
 */
export function noteError(request: RequestLike, error: unknown): void {
  const exchange = exchangeOf(nodeRequestOf(request));
  if (exchange !== undefined) exchange.context.error = error;
}

function nodeRequestOf(request: RequestLike): NodeRequest {
  // Frameworks' own requests have headers as well: what holds Node's request comes first.
  if ('raw' in request) return request.raw;
  if ('req' in request) return request.req;
  return 'request' in request ? nodeRequestOf(request.request) : request;
}

interface Followers<Request> {
  /** Before anything else, of every request. */
  readonly before?: (res: NodeResponse) => void;
  /** Before the application, of what is not ours. */
  readonly next?: (context: RequestContext, req: Request) => void;
}

/** Serves a server's requests before every listener for them, those it has and those that are added later. */
export function serveFirst<Request extends NodeRequest>(
  engine: Engine<Request>,
  server: NodeServer,
  { before, next }: Followers<Request> = {},
): void {
  const emit = server.emit.bind(server);
  watchServer(engine, server);
  const emitOther = server.emit.bind(server);
  const { summary } = engine.options;
  const traced = leavesTrace(engine);
  server.emit = (event, ...args) => {
    if (!isExchange<Request>(event, args)) return emitOther(event, ...args);
    const [req, res] = args;
    before?.(res);
    if (!traced) return answers(engine, req, res) || emit(event, req, res);
    const target = req.url ?? '';
    // Noticed here, `serve` need not ask which server it came to.
    if (summary && exchangeOf(req) === undefined) begin(engine, req, res, target);
    serve(engine, req, res, target, (context) => {
      next?.(context, req);
      emit(event, req, res);
    });
    return true;
  };
}
