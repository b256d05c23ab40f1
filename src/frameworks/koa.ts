import type { IncomingMessage } from 'node:http';
import type { Context as KoaContext } from 'koa';
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
import { watchListen } from '../http/node/watch-server.js';
import { openHealthPort } from '../http/health-port.js';
import { noteError, type NodeResponse, serve } from '../http/node/serve.js';

export * from '../profiles/entry.js';
export { noteError };

/** A Koa application, 2 or 3. */
export interface KoaApp {
  use(middleware: never): unknown;
  callback(): unknown;
  emit(event: string | symbol, ...args: readonly unknown[]): boolean;
}

interface Context {
  readonly req: IncomingMessage;
  readonly res: NodeResponse;
  readonly state?: { readonly user?: unknown };
}
type Handler = (context: Context, middleware: unknown) => Promise<unknown>;
type HandlingApp = KoaApp & { handleRequest: Handler };

/** Options of the Health of Koa: the options of every Health, and the clients of the built-in checks. */
export interface HealthOptions extends OptionsOf<IncomingMessage, KoaContext> {}

/**
 * The three endpoints and `request.summary` for a Koa application.
 *
 * @example const health = new Health(app, { db: pool });
 */
export class Health extends HealthCore<IncomingMessage, KoaContext> {
  constructor(...args: HealthArguments<KoaApp, HealthOptions>) {
    const { app, parts } = extension(args, fromWorkingDirectory());
    super(parts);
    if (app !== undefined) closeOnThrow(this, () => this.initApp(app));
  }

  /** Installs the three endpoints in an application that you create after the Health. */
  initApp(app: KoaApp): this {
    if (!handlesRequests(app)) {
      throw appInvalid('a Koa application', app, 'const app = new Koa(); new Health(app)');
    }
    return this.install(app, () => {
      const handle = app.handleRequest.bind(app);
      this.onClose(noteErrors(app));
      watchListen(this, app);
      openHealthPort(this);
      // Before the middleware, and looked up by Koa at each request: a callback made earlier is served too.
      const handleRequest: Handler = (context, middleware) => {
        if (this.closed) return handle(context, middleware);
        let handled: Promise<unknown> = Promise.resolve();
        const { req, res } = context;
        const { url = '' } = req;
        serve(this, req, res, url, (request) => {
          request?.note(context, () => context.state?.user);
          handled = handle(context, middleware);
        });
        return handled;
      };
      this.onClose(replace(app, 'handleRequest', handleRequest));
    });
  }
}

function handlesRequests(app: unknown): app is HandlingApp {
  return isObject(app) && 'handleRequest' in app && 'callback' in app && 'use' in app;
}

/**
 * Koa, and by its convention middleware that catches, emits the error on the application.
 * A listener of ours would keep Koa from adding its own, which prints the error.
 */
function noteErrors(app: KoaApp): () => void {
  const emit = app.emit.bind(app);
  return replace(app, 'emit', (event, ...args) => {
    const [error, context] = args;
    if (event === 'error' && isContext(context)) noteError(context.req, error);
    return emit(event, ...args);
  });
}

function isContext(value: unknown): value is Context {
  return isObject(value) && 'req' in value && 'res' in value;
}
