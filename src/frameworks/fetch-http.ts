import type { Answer } from '../core/endpoints.js';
import type { HealthCore } from '../core/health.js';
import { requestId as currentId, RequestContext, runInRequest } from '../core/request.js';

/** What every runtime answers for a handler that throws. */
const handlerThrew = 500;

// On the request itself: a worker may have no asynchronous context, and a handler has the request in any case.
const tracked = Symbol('lifesign.request');
type Tracked = Request & { [tracked]?: RequestContext };

/** What a handler may give: nothing where the runtime has taken the connection over, as for a WebSocket. */
export type Handled = Response | undefined | void;

/**
 * Answers one of the three endpoints or goes on with `next`, inside the request's context, and logs the summary
 * when the response is made: its body may still be on its way. Every framework that takes a Request and
 * gives a Response comes through here.
 */
export function serve<T extends Handled | PromiseLike<Handled>>(
  health: HealthCore<Request>,
  request: Tracked,
  next: () => T,
): T | Response | Promise<Response> {
  // A handler inside another that has a Health too: one request, one summary.
  if (request[tracked] !== undefined) return next();

  const context = new RequestContext(headerOf(request, health.options.requestIdHeaderName));
  request[tracked] = context;
  const target = targetOf(request.url);
  return runInRequest(context, () => {
    const answer = health.handle(request.method, target, request);
    const go = () => (answer === undefined ? next() : respond(answer));
    if (!health.options.summary) return go();
    return watch(go, (code, complete, thrown) => {
      if (!complete) context.error = thrown;
      health.summarise(context, {
        method: request.method,
        target,
        code,
        complete,
        agent: headerOf(request, 'user-agent'),
        lang: headerOf(request, 'accept-language'),
      });
    });
  });
}

/** Calls `over` once, when what `go` gives is there; gives the same. */
function watch<T extends Handled | PromiseLike<Handled>>(
  go: () => T,
  over: (code: number, complete: boolean, thrown?: unknown) => void,
): T {
  const made = (response: Handled) => {
    if (response) over(response.status, true);
  };
  const threw = (thrown: unknown) => over(handlerThrew, false, thrown);
  try {
    const result = go();
    if (result && 'then' in result) result.then(made, threw);
    else made(result);
    return result;
  } catch (thrown) {
    threw(thrown);
    throw thrown;
  }
}

function respond(answer: Answer | Promise<Answer>): Response | Promise<Response> {
  return answer instanceof Promise ? answer.then(responseOf) : responseOf(answer);
}

function responseOf({ status, headers, body, stream }: Answer): Response {
  if (stream !== undefined) return new Response(readable(stream), { status, headers });
  // Not even an empty body is allowed with a 204.
  return new Response(body === '' ? null : body, { status, headers });
}

/** The pieces of an answer as the reader asks for them. */
function readable(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Path and query of a URL, as they stand in it. */
function targetOf(url: string): string {
  const path = url.indexOf('/', url.indexOf('://') + 3);
  return path === -1 ? '/' : url.slice(path);
}

function headerOf(request: Request, name: string): string | undefined {
  return request.headers.get(name) ?? undefined;
}

/** Remembers what the handler of a request threw, for its summary. */
export function noteError(request: Tracked, error: unknown): void {
  if (request[tracked] !== undefined) request[tracked].error = error;
}

/**
 * The id of a request; without one that of the request that the current code runs for, where the runtime can tell.
 *
 * @example console.log(`charging card, request ${requestId(request)}`);
 */
export function requestId(request?: Tracked): string | undefined {
  return request?.[tracked]?.id ?? currentId();
}
