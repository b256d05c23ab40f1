import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, mergeVary } from '../../core/endpoints.js';
import type { HealthCore } from '../../core/health.js';
import { isPromise } from '../../core/objects.js';
import {
  noteStream,
  type RequestContext,
  runInRequest,
  streamListeners,
} from '../../core/request/request.js';
import { replace } from '../../core/replace.js';
import { begin, exchangeOf, type NodeRequest, type NodeResponse } from './exchange.js';
import { type NodeServer, watchServer, watchServerOf } from './watch-server.js';

export type { NodeRequest, NodeResponse, NodeServer };

type Next<Request> = (context: RequestContext | undefined, req: Request, res: NodeResponse) => void;

/**
 * Answers a request for one of the endpoints or calls `next`, inside the request's context, and logs the summary
 * when the response ends. Every framework that runs on node:http comes through here. A request that needs none
 * has no context. `isWatched`: the server of the request is known to be watched. @internal
 */
export function serve<Request extends NodeRequest>(
  // An intersection infers nothing; `NoInfer` would need TypeScript 5.4 of every user.
  health: HealthCore<Request & {}>,
  req: Request,
  res: NodeResponse,
  target: string,
  next: Next<Request>,
  isWatched = false,
): void {
  const known = exchangeOf(req);
  // An application mounted in another that has a Health too: one request, one summary.
  if (known?.served === true) {
    known.lookForTrace();
    return next(known, req, res);
  }
  if (health.closed) return next(known, req, res);
  if (streamListeners.size > 0) noteStream(res);

  const { method = '' } = req;
  const route = health.match(target);
  if (known === undefined && !health.needsContext(route)) {
    return route === undefined
      ? next(undefined, req, res)
      : respond(health, res, health.answer(route, method, target, req));
  }
  if (known === undefined && !isWatched && health.tracks) watchServerOf(health, req);
  const exchange = known ?? begin(health, req, res, target);
  exchange.serveBy(health, target, route !== undefined);
  exchange.keepContext();
  if (route === undefined) {
    runInRequest(exchange, next, exchange, req, res);
  } else runInRequest(exchange, () => respond(health, res, health.answer(route, method, target, req)));
}

/** Serves a server's requests before every listener for them, those it has and those that are added later. @internal */
export function serveFirst(
  health: HealthCore<NodeRequest>,
  server: NodeServer,
  { before, next }: Followers = {},
): void {
  const emit = server.emit.bind(server);
  const emitting =
    (event: string | symbol): Next<NodeRequest> =>
    (context, req, res) => {
      next?.(context, req);
      emit(event, req, res);
    };
  // Of all events, this one is worth a function that is made once.
  const emitRequest = emitting('request');
  watchServer(health, server, (event, req, res) => {
    before?.(res);
    const { url: target = '' } = req;
    serve(health, req, res, target, event === 'request' ? emitRequest : emitting(event), true);
  });
}

/** An application that is a function of a request, with what calls its middleware, as in Express. */
export interface HandlingApp {
  handle(req: ExpressRequest, res: ExpressResponse, next?: (error?: unknown) => void): void;
}
type ExpressRequest = IncomingMessage & { readonly originalUrl?: string };
type ExpressResponse = ServerResponse & { locals?: Record<string, unknown> };

/** Serves requests before such an application: no middleware, guard or rate limit of it can take a probe down. @internal */
export function serveBeforeHandle(
  health: HealthCore<IncomingMessage>,
  app: HandlingApp,
  before?: (req: ExpressRequest, res: ExpressResponse) => void,
): void {
  const handle = app.handle.bind(app);
  const serving: HandlingApp['handle'] = (req, res, next) => {
    if (health.closed) return handle(req, res, next);
    const { url = '' } = req;
    serve(health, req, res, req.originalUrl ?? url, (context) => {
      context?.note(req);
      before?.(req, res);
      handle(req, res, next);
    });
  };
  health.onClose(replace(app, 'handle', serving));
}

interface Followers {
  /** Before anything else, of every request. */
  readonly before?: (res: NodeResponse) => void;
  /** Called before the application, for requests that are not ours. */
  readonly next?: (context: RequestContext | undefined, req: NodeRequest) => void;
}

/** Writes an answer when it is there. @internal */
export function respond(
  health: Pick<HealthCore, 'logError'>,
  res: NodeResponse,
  answer: Answer | Promise<Answer>,
): void {
  // Others may have put functions of theirs on a response: one that throws ends this answer and not the process.
  const writeSafely = (ready: Answer) => {
    try {
      write(res, ready);
    } catch (thrown) {
      health.logError('An answer could not be written', thrown);
      res.destroy?.();
    }
  };
  if (isPromise(answer)) void answer.then(writeSafely);
  else writeSafely(answer);
}

function write(res: NodeResponse, answer: Answer): void {
  // The client may have left, or a timeout of the server may have answered for us.
  if (res.headersSent || res.destroyed) return;
  const { status, headers } = answer;
  const vary = res.getHeader('vary');
  res.writeHead(status, vary === undefined ? headers : { ...headers, Vary: mergeVary(String(vary)) });
  res.end(answer.body);
}

/** A raw request, or a framework's: the requests of Fastify and AdonisJS, the contexts of Koa and AdonisJS. */
export type RequestLike =
  | NodeRequest
  | { readonly raw: NodeRequest }
  | { readonly req: NodeRequest }
  | { readonly request: NodeRequest | { readonly request: NodeRequest } };

/**
 * Adds an error to the summary of a request, for handlers that catch their own errors. It accepts what the
 * framework calls a request.
 *
 * @example catch (error) { noteError(request, error); … }
 */
export function noteError(request: RequestLike, error: unknown): void {
  const exchange = exchangeOf(nodeRequestOf(request));
  exchange?.noteError(error);
}

function nodeRequestOf(request: RequestLike): NodeRequest {
  // Frameworks' own requests have headers as well: objects that hold Node's request come first.
  if ('raw' in request) return request.raw;
  if ('req' in request) return request.req;
  return 'request' in request ? nodeRequestOf(request.request) : request;
}
