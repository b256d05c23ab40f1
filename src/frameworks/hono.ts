import type { Context as HonoContext } from 'hono';
import { closeOnThrow } from '../core/feature.js';
import { HealthCore } from '../core/health.js';
import { appInvalid } from '../core/options/errors.js';
import { isObject } from '../core/objects.js';
import { replace } from '../core/replace.js';
import {
  extension,
  fromWorkingDirectory,
  type HealthArguments,
  type HealthOptions as OptionsOf,
} from '../profiles/extension.js';
import { noteError, noteRequest, serve } from '../http/fetch/serve.js';

export * from '../profiles/entry.js';
export { requestId } from '../http/fetch/serve.js';
export { noteError };

declare module 'hono' {
  interface ContextVariableMap {
    /** The id of the request. */
    requestId: string;
  }
}

/** A Hono application. */
export interface HonoApp {
  fetch(request: Request, ...rest: never): Response | Promise<Response>;
  onError(handler: never): unknown;
}

interface Context {
  readonly req: { readonly raw: Request };
  get(variable: string): unknown;
  set(variable: string, value: unknown): void;
}
type ErrorHandler = (error: Error, context: Context) => Response | Promise<Response>;
type Handler = (context: Context, next: () => Promise<unknown>) => unknown;
/** A handler, with the router's data about it. */
type Registered = readonly [Handler, ...unknown[]];
type Matched = readonly [Registered, parameters?: unknown];
type Match = readonly [handlers: readonly Matched[], parameters?: unknown];
interface Router {
  readonly name: string;
  add(...route: readonly unknown[]): void;
  match(method: string, path: string): Match;
}
interface HandlingApp {
  router: Router;
  fetch(request: Request, ...rest: readonly unknown[]): Response | Promise<Response>;
  errorHandler: ErrorHandler;
  onError(handler: ErrorHandler): unknown;
}

/** Options of the Health of Hono: the options of every Health, and the clients of the built-in checks. */
export interface HealthOptions extends OptionsOf<Request, HonoContext> {}

/**
 * The three endpoints and `request.summary` for a Hono application.
 *
 * @example const health = new Health(app, { db: pool });
 */
export class Health extends HealthCore<Request, HonoContext> {
  constructor(...args: HealthArguments<HonoApp, HealthOptions>) {
    const { app, parts } = extension(args, { ...fromWorkingDirectory(), healthPort: false });
    super(parts);
    if (app !== undefined) closeOnThrow(this, () => this.initApp(app));
  }

  /** Installs the three endpoints in an application that you create after the Health. */
  initApp(app: HonoApp): this {
    if (!handlesRequests(app)) {
      throw appInvalid('a Hono application', app, 'const app = new Hono(); new Health(app)');
    }
    return this.install(app, () => {
      const handle = app.fetch.bind(app);
      this.onClose(noteErrors(app));
      if (this.tracks || this.options.requestContext) this.onClose(noteContexts(app));
      // Before the router, whichever routes and middleware are there already or follow.
      const fetch: HandlingApp['fetch'] = (request, env, executionContext) =>
        serve(this, request, env, () => handle(request, env, executionContext));
      this.onClose(replace(app, 'fetch', fetch));
    });
  }
}

function handlesRequests(app: unknown): app is HandlingApp {
  return isObject(app) && 'fetch' in app && 'onError' in app && 'errorHandler' in app && 'router' in app;
}

/** Hono passes errors of handlers to one function: its own, or the one the application sets. */
function noteErrors(app: HandlingApp): () => void {
  const onError = app.onError.bind(app);
  const originals = new WeakMap<ErrorHandler, ErrorHandler>();
  const withErrorNote = (handler: ErrorHandler): ErrorHandler => {
    const noting: ErrorHandler = (error, context) => {
      noteError(context.req.raw, error);
      return handler(error, context);
    };
    originals.set(noting, handler);
    return noting;
  };
  app.errorHandler = withErrorNote(app.errorHandler);
  const restore = replace(app, 'onError', (handler) => onError(withErrorNote(handler)));
  return () => {
    restore();
    app.errorHandler = originals.get(app.errorHandler) ?? app.errorHandler;
  };
}

/**
 * Hono creates the Context of a request after it has called the router, and shows it to handlers only: the first one reports
 * it. A middleware of ours would not come before those that are there already.
 */
function noteContexts(app: HandlingApp): () => void {
  const { router } = app;
  // A router keeps its handlers: each is wrapped once, not for each request.
  const known = new WeakMap<Registered, Registered>();
  const withNote = (registered: Registered): Registered => {
    const [handler, ...data] = registered;
    const noting: Handler = function (this: unknown, context, next) {
      noteContext(context);
      return handler.call(this, context, next);
    };
    const wrapped: Registered = [noting, ...data];
    known.set(registered, wrapped);
    return wrapped;
  };
  // A router of its own: routers replace their own `match` when it is first called.
  return replace(app, 'router', {
    get name() {
      return router.name;
    },
    add: (...route) => router.add(...route),
    match(method, path) {
      const match = router.match(method, path);
      const [first] = match[0];
      // The application does not see this request.
      if (first === undefined) return match;
      const handlers = match[0].slice();
      handlers[0] = [known.get(first[0]) ?? withNote(first[0]), first[1]];
      return match.length === 1 ? [handlers] : [handlers, match[1]];
    },
  });
}

const userOf = (context: Context) => context.get('user') ?? context.get('jwtPayload');

function noteContext(context: Context): void {
  const request = noteRequest(context.req.raw, context, userOf);
  // The key of Hono's own middleware `requestId`.
  if (request !== undefined) context.set('requestId', request.id);
}
