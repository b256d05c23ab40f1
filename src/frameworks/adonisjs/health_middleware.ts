import type { HttpContext } from '@adonisjs/core/http';
import type { NextFn } from '@adonisjs/core/types/http';
import { isEndpoint } from '../../core/endpoints.js';
import { healthProviderMissing } from '../../profiles/settings/errors.js';
import { serve } from '../../http/node/serve.js';
import { Health } from './index.js';
import { isObject } from '../../core/objects.js';

/** The health middleware: the first of `server.use([...])` in `start/kernel.ts`. */
export default class HealthMiddleware {
  async handle(ctx: HttpContext, next: NextFn): Promise<void> {
    const {
      containerResolver,
      request: { request },
      response: { response },
    } = ctx;
    const { url: target = '' } = request;
    if (!containerResolver.hasBinding(Health)) {
      // No code of ours runs before the first request here: the application works, and its probes report the problem.
      if (!isEndpoint(target)) return next();
      throw healthProviderMissing();
    }
    const health = await containerResolver.make(Health);
    return new Promise((resolve, reject) => {
      // AdonisJS ends the response as soon as its middleware have: not before the endpoint has answered.
      response.once('close', resolve);
      serve(health, request, response, target, (context) => {
        context?.note(ctx, () => userOf(ctx));
        next().then(resolve, reject);
      });
    });
  }
}

/** Where @adonisjs/auth keeps the user, once a guard has found one. */
function userOf(ctx: object): unknown {
  const auth: unknown = 'auth' in ctx ? ctx.auth : undefined;
  return isObject(auth) && 'user' in auth ? auth.user : undefined;
}
