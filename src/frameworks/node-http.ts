import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, mergeVary } from '../core/endpoints.js';
import type { HealthCore } from '../core/health.js';
import { RequestContext, runInRequest } from '../core/request.js';

/** Status of a request whose client left before the answer began, as web servers log it. */
const clientLeft = 499;

// On the request itself: the asynchronous context can be that of another request where a client library loses it.
const tracked = Symbol('lifesign.request');
type Tracked = IncomingMessage & { [tracked]?: RequestContext };

/**
 * Answers one of the three endpoints or goes on with `next`, inside the request's context, and logs the summary
 * when the response is over. Every framework that runs on node:http comes through here.
 */
export function serve(
  health: HealthCore<IncomingMessage>,
  req: Tracked,
  res: ServerResponse,
  target: string,
  next: (context: RequestContext) => void,
): void {
  // An application mounted in another that has a Health too: one request, one summary.
  if (req[tracked] !== undefined) return next(req[tracked]);

  const context = new RequestContext(headerOf(req, health.options.requestIdHeaderName));
  req[tracked] = context;
  if (health.options.summary) {
    res.once('close', () =>
      health.summarise(context, {
        method: req.method ?? '',
        target,
        code: res.headersSent ? res.statusCode : clientLeft,
        complete: res.writableFinished,
        agent: req.headers['user-agent'],
        lang: req.headers['accept-language'],
      }),
    );
  }
  runInRequest(context, () => {
    const answer = health.handle(req.method ?? '', target, req);
    if (answer === undefined) next(context);
    else if (answer instanceof Promise) void answer.then((ready) => write(res, ready));
    else write(res, answer);
  });
}

function headerOf(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

function write(res: ServerResponse, answer: Answer): void {
  // The client may be gone, or a time-out of the server may have answered for us.
  if (res.headersSent || res.destroyed) return;
  const vary = res.getHeader('vary');
  res.writeHead(answer.status, {
    ...answer.headers,
    ...(vary !== undefined && { Vary: mergeVary(String(vary)) }),
  });
  res.end(answer.body);
}

/** Remembers what the handler of a request threw, for its summary. */
export function noteError(req: Tracked, error: unknown): void {
  if (req[tracked] !== undefined) req[tracked].error = error;
}
