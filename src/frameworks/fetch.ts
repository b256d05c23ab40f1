import { closeOnThrow } from '../core/feature.js';
import { HealthCore } from '../core/health.js';
import { appInvalid } from '../core/options/errors.js';
import { isObject } from '../core/objects.js';
import { replace } from '../core/replace.js';
import type { RequestContext } from '../core/request/request.js';
import {
  extension,
  fromWorkingDirectory,
  type HealthArguments,
  type HealthOptions as OptionsOf,
} from '../profiles/extension.js';
import { type Handled, noteError, serve } from '../http/fetch/serve.js';

export * from '../profiles/entry.js';
export { requestId } from '../http/fetch/serve.js';

export { noteError };

/** An application with a fetch handler: the default export of a worker, or what you pass to `Bun.serve`. */
export interface FetchApp {
  fetch(request: Request, ...rest: never): Handled | Promise<Handled>;
}

/** Options of the Health of a fetch handler: the options of every Health, and the clients of the built-in checks. */
export interface HealthOptions extends OptionsOf<Request> {}

/**
 * The three endpoints and `request.summary` for anything that accepts a Request and returns a Response.
 *
 * @example const health = new Health(); Deno.serve(health.wrap((request) => new Response('Hello')));
 */
export class Health extends HealthCore<Request, Request> {
  constructor(...args: HealthArguments<FetchApp, HealthOptions>) {
    const { app, parts } = extension(args, {
      ...fromWorkingDirectory(),
      healthPort: false,
      isApp: (value) => 'fetch' in value,
    });
    super(parts);
    if (app !== undefined) closeOnThrow(this, () => this.initApp(app));
  }

  /**
   * The answer to a request for one of the three endpoints; undefined if it is for the application.
   * Pass on what your server passes with the request: on some servers it has Node's own request, with the raw path.
   *
   * @example const answer = health.respond(request, env); if (answer) return answer;
   */
  respond(request: Request, serverContext?: unknown): Response | Promise<Response> | undefined {
    const next = (context: RequestContext | undefined) => {
      context?.note(request);
      return undefined;
    };
    return serve(this, request, serverContext, next, false);
  }

  /**
   * The handler with the endpoints in front of it.
   *
   * @example export const fetch = health.wrap((request) => new Response('Hello'));
   */
  wrap<Rest extends readonly unknown[], T extends Handled | PromiseLike<Handled>>(
    handler: (request: Request, ...rest: Rest) => T,
  ): (request: Request, ...rest: Rest) => T | Response | Promise<Response> {
    if (typeof handler !== 'function') {
      throw appInvalid('a fetch handler', handler, "health.wrap((request) => new Response('Hello'))");
    }
    return (request, ...rest) =>
      serve(this, request, rest[0], (context) => {
        context?.note(request);
        return handler(request, ...rest);
      });
  }

  /** Installs the three endpoints in an application that you create after the Health. */
  initApp(app: FetchApp): this {
    if (!handlesFetch(app)) {
      const write =
        'new Health({ fetch: (request) => … }), or serve health.wrap((request) => app.fetch(request)) with const health = new Health()';
      throw appInvalid('an object with a fetch method that stays the same', app, write);
    }
    return this.install(app, () => {
      this.onClose(replace(app, 'fetch', this.wrap(app.fetch.bind(app))));
    });
  }
}

interface HandlingApp extends FetchApp {
  fetch(request: Request, ...rest: readonly unknown[]): Handled | Promise<Handled>;
}

function handlesFetch(app: unknown): app is HandlingApp {
  if (!isObject(app) || !('fetch' in app)) return false;
  // Elysia's is a getter that compiles the routes it has by then: wrapped now, it would not know later ones.
  const inherited = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(app) ?? app, 'fetch');
  return inherited?.get === undefined && typeof app.fetch === 'function';
}
