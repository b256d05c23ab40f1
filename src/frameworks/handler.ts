import type { Answer } from '../core/endpoints.js';
import type { HealthCore } from '../core/health.js';
import { type HealthOptions, fromWorkingDirectory, OptionsHealth } from '../profiles/extension.js';

/**
 * The answer to a request for one of the endpoints, to be sent as it is; undefined if the request is for the application.
 * `target` is the raw path with its query. The promise never rejects.
 */
export interface Handler<Request> {
  (method: string, target: string, request: Request): Answer | Promise<Answer> | undefined;
  /** Registers checks and the version, listens to signals. */
  readonly health: HealthCore<Request, Request>;
}

/**
 * For frameworks without their own entry: takes the options of every Health and returns the answers. For servers on
 * node:http use `lifesign/node`, for handlers of a Request `lifesign/fetch`: these log `request.summary` too.
 *
 * @example const handle = createHandler({ db: pool }); const answer = await handle(method, target, request);
 */
export function createHandler<Request = unknown>(options?: HealthOptions<Request>): Handler<Request> {
  const health = new OptionsHealth<Request>(options, { ...fromWorkingDirectory(), healthPort: false });
  const handle = (method: string, target: string, request: Request) => {
    const route = health.match(target);
    return route && health.answer(route, method, target, request);
  };
  return Object.assign(handle, { health });
}
