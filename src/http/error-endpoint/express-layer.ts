import { replace } from '../../core/replace.js';
import type { Closing, DeliberateErrors } from './open.js';
import { noteError } from '../node/serve.js';
import type { NodeRequest } from '../node/request.js';
import { isObject } from '../../core/objects.js';

type Next = (error?: unknown) => void;
/** As Express hands it to its layers. */
type Request = NodeRequest & { readonly originalUrl: string };

type Layer = (req: Request, res: unknown, next: Next) => void;

/** An Express application, as far as it is used: ours and the one inside Nest. */
interface RoutingApp<Req, Res> {
  use(layer: Layer): unknown;
  handle(req: Req, res: Res, next?: Next): void;
}

/** Throws the errors from a layer before all others of the application: every error handler receives them, whenever it was added. */
export function throwFirst<Req, Res>(
  engine: Closing,
  app: RoutingApp<Req, Res>,
  errors: DeliberateErrors,
): void {
  const handle = app.handle.bind(app);
  const layer: Layer = (asked, _res, goOn) => goOn(errors(asked.originalUrl, asked, noteError));
  let added = false;
  engine.onClose(() => giveLayersBack(app, () => undefined, layer));
  const throwing: typeof handle = (req, res, next) => {
    // Not before: Express 4 reads its settings when the first layer comes.
    if (!added && !engine.closed) {
      addFirst(app, layer);
      added = true;
    }
    handle(req, res, next);
  };
  engine.onClose(replace(app, 'handle', throwing));
}

/** Puts the application's own handlers into its layers again, and takes the layer of `handler` away. */
export function giveLayersBack(
  app: object,
  originalOf: (handler: object) => object | undefined,
  handler: object,
): void {
  const stack = stackOf(app);
  for (const layer of stack.filter(isLayer)) layer.handle = originalOf(layer.handle) ?? layer.handle;
  const at = stack.findIndex((layer) => isLayer(layer) && layer.handle === handler);
  if (at !== -1) stack.splice(at, 1);
}

/** Whether an application, or a router that it uses without a path, has a route at a path. */
export function hasRoute(app: object, path: string): boolean {
  return isInStack(stackOf(app), path);
}

function isInStack(stack: unknown, path: string): boolean {
  if (!Array.isArray(stack)) return false;
  return stack.some((layer: Partial<Layered>) => {
    if (layer.route) return [layer.route.path].flat().includes(path);
    // Express 5 and Express 4 keep that a router is at `/` in different places.
    const isAtRoot = layer.slash === true || layer.regexp?.fast_slash === true;
    return isAtRoot && isInStack(layer.handle?.stack, path);
  });
}

/** The part of a layer that is read: of a route, or of a router. */
interface Layered {
  readonly route?: { readonly path?: unknown };
  readonly slash?: boolean;
  readonly regexp?: { readonly fast_slash?: boolean };
  readonly handle?: { readonly stack?: unknown };
}

function isLayer(value: unknown): value is { handle: object } {
  return isObject(value) && 'handle' in value && typeof value.handle === 'function';
}

function addFirst<Req, Res>(app: RoutingApp<Req, Res>, layer: Layer): void {
  app.use(layer);
  const stack = stackOf(app);
  const own: unknown = stack.pop();
  // The first layers of Express 4 prepare the request and the response for error handlers.
  const made = stack.findIndex((each) => Reflect.get(Object(each), 'name') === 'expressInit');
  stack.splice(made + 1, 0, own);
}

function stackOf(app: object): unknown[] {
  // Asking Express 4 for its `router` throws.
  const router: unknown = Reflect.get(app, 'lazyrouter' in app ? '_router' : 'router');
  const stack: unknown = Reflect.get(Object(router), 'stack');
  return Array.isArray(stack) ? stack : [];
}
