import { appInvalid } from '../core/errors.js';
import { Extension, type ExtensionOptions, fromWorkingDirectory } from '../profiles/extension.js';
import { refuseHealthPort } from './health-port.js';
import { noteError, serve } from './fetch-http.js';

export * as checks from '../checks/index.js';
export { listenOptions } from '../core/options.js';
export { requestId } from './fetch-http.js';
export type { ExtensionOptions };

/** A Hono application. */
export interface HonoApp {
  fetch(request: Request, ...rest: never): Response | Promise<Response>;
  onError(handler: never): unknown;
}

interface Context {
  readonly req: { readonly raw: Request };
}
type ErrorHandler = (error: Error, context: Context) => Response | Promise<Response>;
interface HandlingApp {
  fetch(request: Request, ...rest: readonly unknown[]): Response | Promise<Response>;
  errorHandler: ErrorHandler;
  onError(handler: ErrorHandler): unknown;
}

/**
 * Profile C: the three endpoints and `request.summary` for a Hono application.
 *
 * @example const health = new Health(app, { db: pool });
 */
export class Health extends Extension<HonoApp, Request> {
  constructor(app?: HonoApp, options: ExtensionOptions<Request> = {}) {
    super(options, fromWorkingDirectory());
    refuseHealthPort(this.options.healthPort);
    if (app !== undefined) this.initApp(app);
  }

  protected override install(app: HonoApp): void {
    if (!handlesRequests(app)) {
      throw appInvalid('a Hono application', app, 'const app = new Hono(); new Health(app)');
    }
    const handle = app.fetch.bind(app);
    noteErrors(app);
    // Before the router, whichever routes and middleware are there already or follow.
    app.fetch = (request, ...rest) => serve(this, request, rest[0], () => handle(request, ...rest));
  }
}

function handlesRequests(app: unknown): app is HandlingApp {
  return (
    typeof app === 'object' && app !== null && 'fetch' in app && 'onError' in app && 'errorHandler' in app
  );
}

/** Hono hands what a handler threw to one function: its own, or the one the application sets. */
function noteErrors(app: HandlingApp): void {
  const onError = app.onError.bind(app);
  app.errorHandler = noting(app.errorHandler);
  app.onError = (handler) => onError(noting(handler));
}

function noting(handler: ErrorHandler): ErrorHandler {
  return (error, context) => {
    noteError(context.req.raw, error);
    return handler(error, context);
  };
}
