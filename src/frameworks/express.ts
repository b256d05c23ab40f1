import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request as ExpressRequest } from 'express';
import { closeOnThrow } from '../core/feature.js';
import { HealthCore } from '../core/health.js';
import { isObject } from '../core/objects.js';
import { replace } from '../core/replace.js';
import { appInvalid } from '../core/options/errors.js';
import {
  extension,
  fromParentOfRoot,
  type HealthArguments,
  type HealthOptions as OptionsOf,
} from '../profiles/extension.js';
import { watchListen } from '../http/node/watch-server.js';
import { openHealthPort } from '../http/health-port.js';
import { idOf } from '../http/node/exchange.js';
import { type HandlingApp, noteError, serveBeforeHandle } from '../http/node/serve.js';

export * from '../profiles/entry.js';
export { noteError };

/** An Express application, 4 or 5. */
export interface ExpressApp {
  (req: IncomingMessage, res: ServerResponse): unknown;
  use(...handlers: readonly unknown[]): unknown;
  set(setting: string, value: unknown): unknown;
}

type Next = (error?: unknown) => void;
type ErrorHandler = (error: unknown, req: IncomingMessage, res: ServerResponse, next: Next) => unknown;
/** Options of the Health of Express: the options of every Health, and the clients of the built-in checks. */
export interface HealthOptions extends OptionsOf<IncomingMessage, ExpressRequest> {}

/**
 * The three endpoints and `request.summary` for an Express application.
 *
 * @example const health = new Health(app, { db: pool });
 */
export class Health extends HealthCore<IncomingMessage, ExpressRequest> {
  constructor(...args: HealthArguments<ExpressApp, HealthOptions>) {
    const { app, parts } = extension(args, fromParentOfRoot());
    super(parts);
    if (app !== undefined) closeOnThrow(this, () => this.initApp(app));
  }

  /**
   * Installs the three endpoints in an application that you create after the Health.
   *
   * @example const health = new Health(); const app = express(); health.initApp(app);
   */
  initApp(app: ExpressApp): this {
    if (!handlesRequests(app)) {
      throw appInvalid('an Express application', app, 'const app = express(); new Health(app)');
    }
    return this.install(app, () => {
      const noteUnhandled = noteErrors(this, app);
      watchListen(this, app);
      openHealthPort(this);
      serveBeforeHandle(this, app, (req, res) => {
        noteUnhandled();
        const locals: Record<string, unknown> = (res.locals ??= Object.create(null));
        if (locals['request_id'] === undefined) locals['request_id'] = idOf(this, req);
      });
    });
  }
}

function handlesRequests(app: unknown): app is ExpressApp & HandlingApp {
  return typeof app === 'function' && 'handle' in app && 'use' in app && 'set' in app;
}

/**
 * Express passes errors of handlers to functions of four arguments: those registered from here on are wrapped.
 * The returned function adds one of our own after all others, once, for errors that none of them answers.
 */
function noteErrors(health: Pick<HealthCore<IncomingMessage>, 'onClose'>, app: ExpressApp): () => void {
  const use = app.use.bind(app);
  const originals = new WeakMap<object, ErrorHandler>();
  const withErrorNote = (handler: unknown): unknown => {
    if (Array.isArray(handler)) return handler.map(withErrorNote);
    if (!isErrorHandler(handler)) return handler;
    const noteFirst: ErrorHandler = (error, req, res, next) => {
      noteError(req, error);
      return handler(error, req, res, next);
    };
    originals.set(noteFirst, handler);
    return noteFirst;
  };
  health.onClose(replace(app, 'use', (...handlers) => use(...handlers.map(withErrorNote))));

  let added = false;
  health.onClose(() => restoreLayers(app, (handler) => originals.get(handler), passOn));
  return () => {
    if (!added) app.use(passOn);
    added = true;
  };
}

const passOn: ErrorHandler = (error, _req, _res, next) => next(error);

function isErrorHandler(handler: unknown): handler is ErrorHandler {
  return typeof handler === 'function' && handler.length === 4;
}

/** Puts the application's own handlers into its layers again, and takes the layer of `handler` away. */
function restoreLayers(
  app: object,
  originalOf: (handler: object) => object | undefined,
  handler: object,
): void {
  const stack = stackOf(app);
  for (const layer of stack.filter(isLayer)) layer.handle = originalOf(layer.handle) ?? layer.handle;
  const at = stack.findIndex((layer) => isLayer(layer) && layer.handle === handler);
  if (at !== -1) stack.splice(at, 1);
}

function isLayer(value: unknown): value is { handle: object } {
  return isObject(value) && 'handle' in value && typeof value.handle === 'function';
}

function stackOf(app: object): unknown[] {
  // Reading `router` of Express 4 throws.
  const router: unknown = Reflect.get(app, 'lazyrouter' in app ? '_router' : 'router');
  const stack: unknown = Reflect.get(Object(router), 'stack');
  return Array.isArray(stack) ? stack : [];
}
