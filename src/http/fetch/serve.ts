import { isPromise } from '../../core/objects.js';
import { type Answer, clientLeft, handlerThrew } from '../../core/endpoints.js';
import type { HealthCore } from '../../core/health.js';
import {
  requestId as currentId,
  RequestContext,
  runInRequest,
  noteStream,
  streamListeners,
} from '../../core/request/request.js';
import type { Summary } from '../../core/request/summary.js';
import { joinExchange, knownExchange, nodeOf, targetOf } from './node.js';

// On the request itself: a worker may have no asynchronous context, and a handler has the request in any case.
const tracked = Symbol.for('lifesign.request.1');
type Tracked = Request & { [tracked]?: RequestContext };

/** The result of a handler: nothing if the runtime has taken over the connection, as for a WebSocket. */
export type Handled = Response | undefined | void;

/**
 * Answers one of the three endpoints or calls `next`, inside the request's context, and logs the summary: on Node's
 * servers after the last byte, elsewhere when the response is created and its body may still be in progress.
 * Every framework that accepts a Request and returns a Response comes through here. `serverContext` is what the server gives with
 * the Request, `all` whether every request of the server is meant for us. @internal
 */
export function serve<T extends Handled | PromiseLike<Handled>>(
  health: HealthCore<Request>,
  request: Tracked,
  serverContext: unknown,
  next: (context: RequestContext | undefined) => T,
  all = true,
): T | Response | Promise<Response> {
  const node = nodeOf(request, serverContext);
  const target = targetOf(request, node?.incoming.url);
  const known = knownExchange(node);
  // A handler inside another that has a Health too: one request, one summary.
  if (request[tracked] !== undefined || known?.served === true || health.closed)
    return next(request[tracked]);
  if (streamListeners.size > 0 && node?.outgoing !== undefined) noteStream(node.outgoing);

  const { tracks } = health;
  const route = health.match(target);
  const isHealthRequest = route !== undefined;
  // A request of the application has a context in any case: its handler may read the id.
  if (isHealthRequest && !health.needsContext(route))
    return respond(health.answer(route, request.method, target, request));
  const joins = tracks && node !== undefined && (all || known !== undefined);
  const exchange = joins ? joinExchange(health, node, target, isHealthRequest) : undefined;
  const context = exchange ?? new FetchContext(request, health.options);
  context.isHealthRequest = isHealthRequest;
  request[tracked] = context;
  context.noteTrace();
  const isReported = tracks && exchange === undefined;
  const over = isReported
    ? (response: Response | undefined) => health.summarise(context, fetchSummary(request, target, response))
    : undefined;
  if (route === undefined) {
    return tracks
      ? runInRequest(context, callNext<T>, context, next, over)
      : runInRequest(context, next, context);
  }
  const answer = () => respond(health.answer(route, request.method, target, request));
  return runInRequest(context, callNext<ReturnType<typeof answer>>, context, answer, over);
}

/** The context of a Request, whose id is created on first use. A class: V8 takes microseconds to make an object with a getter. */
class FetchContext extends RequestContext {
  readonly #request: Request;
  readonly #idHeader: string;

  constructor(request: Request, { requestContext, requestIdHeaderName }: HealthCore<Request>['options']) {
    super(undefined, requestContext);
    this.#request = request;
    this.#idHeader = requestIdHeaderName;
  }

  override get givenId(): string | undefined {
    return headerOf(this.#request, this.#idHeader);
  }

  get method(): string {
    return this.#request.method;
  }
  get target(): string {
    return this.#request.url;
  }

  /** A failure because the client has left is not an error of the server. */
  override noteError(error: unknown): void {
    if (!hasLeft(this.#request)) super.noteError(error);
  }
}

function hasLeft({ signal }: { readonly signal?: AbortSignal }): boolean {
  return signal?.aborted === true;
}

/** The summary of a request: without a response, its handler threw. */
function fetchSummary(request: Request, target: string, response: Response | undefined): Summary {
  const left = hasLeft(request);
  const complete = response !== undefined && !left;
  const code = left ? clientLeft : (response?.status ?? handlerThrew);
  const agent = headerOf(request, 'user-agent');
  const lang = headerOf(request, 'accept-language');
  return { method: request.method, target, code, complete, agent, lang };
}

/** Called once: with the response, or without one if the handler threw. */
type Over = ((response: Response | undefined) => void) | undefined;

/** Continues with the application, and returns or throws the same. Its error is in the summary. */
function callNext<T extends Handled | PromiseLike<Handled>>(
  context: RequestContext,
  next: (context: RequestContext) => T,
  over: Over,
): T {
  let result: T;
  try {
    result = next(context);
  } catch (errorOfTheHandler) {
    // The only place to learn of an error that a server catches. If nothing catches it, Node prints the next line above the error.
    noteThrown(context, errorOfTheHandler, over);
    throw errorOfTheHandler;
  }
  if (!result || !('then' in result)) {
    if (result) over?.(result);
    return result;
  }
  // The promise to return instead: one that is only watched would count as handled, and Node would not report its rejection.
  const passedOn = result.then(
    (response) => {
      if (response) over?.(response);
      return response;
    },
    (thrown: unknown) => {
      noteThrown(context, thrown, over);
      throw thrown;
    },
  );
  // oxlint-disable-next-line typescript/consistent-type-assertions -- `then` returns the kind of promise it is called on
  return passedOn as T;
}

function noteThrown(context: RequestContext, thrown: unknown, over: Over): void {
  context.noteError(thrown);
  over?.(undefined);
}

function respond(answer: Answer | Promise<Answer>): Response | Promise<Response> {
  return isPromise(answer) ? answer.then(responseOf) : responseOf(answer);
}

function headerOf(request: Request, name: string): string | undefined {
  return request.headers.get(name) ?? undefined;
}

/** Remembers the framework's own request and user; the outermost application wins. @internal */
export function noteRequest<FrameworkRequest extends object>(
  request: Tracked,
  own: FrameworkRequest,
  user: (own: FrameworkRequest) => unknown,
): RequestContext | undefined {
  const context = request[tracked];
  if (context?.request !== undefined) return undefined;
  context?.note(own, user);
  return context;
}

/**
 * Adds an error to the summary of a request, for handlers that catch their own errors. It accepts the Request,
 * or Hono's Context.
 *
 * @example catch (error) { noteError(request, error); return new Response(null, { status: 500 }); }
 */
export function noteError(
  request: Tracked | { readonly req: { readonly raw: Tracked } },
  error: unknown,
): void {
  const context = ('req' in request ? request.req.raw : request)[tracked];
  context?.noteError(error);
}

/**
 * The id of a request; without an argument, of the current request, if the runtime supports it.
 *
 * @example console.log(`charging card, request ${requestId(request)}`);
 */
export function requestId(request?: Tracked): string | undefined {
  return request?.[tracked]?.id ?? currentId();
}

function responseOf({ status, headers, body }: Answer): Response {
  // Not even an empty body is allowed with a 204.
  return new Response(body || null, { status, headers });
}
