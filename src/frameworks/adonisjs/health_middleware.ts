import type { HttpContext } from '@adonisjs/core/http';
import type { NextFn } from '@adonisjs/core/types/http';
import { serve } from '../node-http.js';
import { Health } from './health.js';

/** Profile A's middleware: the first of `server.use([...])` in `start/kernel.ts`. */
export default class HealthMiddleware {
  /** What `@inject()` would write. */
  static readonly containerInjections = { _constructor: { dependencies: [Health] } };
  readonly #health: Health;

  constructor(health: Health) {
    this.#health = health;
  }

  handle(ctx: HttpContext, next: NextFn): Promise<void> {
    const {
      request: { request },
      response: { response },
    } = ctx;
    return new Promise((resolve, reject) => {
      // AdonisJS ends the response as soon as its middleware have: not before the endpoint has answered.
      response.once('close', resolve);
      serve(this.#health, request, response, request.url ?? '', (context) => {
        context.request ??= ctx;
        context.user ??= () => userOf(ctx);
        next().then(resolve, reject);
      });
    });
  }
}

/** Where @adonisjs/auth keeps the user, once a guard has found one. */
function userOf(ctx: object): unknown {
  const auth: unknown = 'auth' in ctx ? ctx.auth : undefined;
  return typeof auth === 'object' && auth !== null && 'user' in auth ? auth.user : undefined;
}
