import type { DeliberateErrors } from './open.js';
import { noteError } from '../node/serve.js';
import type { NodeRequest } from '../node/request.js';

type Next = (error?: unknown) => void;
/** As Express hands it to its layers. */
type Request = NodeRequest & { readonly originalUrl: string };

/** An Express application, as far as it is used: ours and the one inside Nest. */
interface RoutingApp<Req, Res> {
  use(layer: (req: Request, res: unknown, next: Next) => void): unknown;
  handle(req: Req, res: Res, next?: Next): void;
}

/** Has the errors thrown by a layer of the application, before all of its own: every error handler hears of them, whenever it was added. */
export function throwFirst<Req, Res>(app: RoutingApp<Req, Res>, errors: DeliberateErrors): void {
  const handle = app.handle.bind(app);
  let added = false;
  app.handle = (req, res, next) => {
    // Not before: Express 4 reads its settings when the first layer comes.
    if (!added) addFirst(app, (asked, _res, goOn) => goOn(errors(asked.originalUrl, asked, noteError)));
    added = true;
    handle(req, res, next);
  };
}

function addFirst<Req, Res>(
  app: RoutingApp<Req, Res>,
  layer: (req: Request, res: unknown, next: Next) => void,
): void {
  app.use(layer);
  const stack = stackOf(app);
  const own: unknown = stack.pop();
  // The first layers of Express 4 make the request and the response what error handlers expect.
  const made = stack.findIndex((each) => Reflect.get(Object(each), 'name') === 'expressInit');
  stack.splice(made + 1, 0, own);
}

function stackOf(app: object): unknown[] {
  // Asking Express 4 for its `router` throws.
  const router: unknown = Reflect.get(app, 'lazyrouter' in app ? '_router' : 'router');
  const stack: unknown = Reflect.get(Object(router), 'stack');
  return Array.isArray(stack) ? stack : [];
}
