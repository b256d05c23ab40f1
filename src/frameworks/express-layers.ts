import { isObject } from '../core/objects.js';

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

function stackOf(app: object): unknown[] {
  // Asking Express 4 for its `router` throws.
  const router: unknown = Reflect.get(app, 'lazyrouter' in app ? '_router' : 'router');
  const stack: unknown = Reflect.get(Object(router), 'stack');
  return Array.isArray(stack) ? stack : [];
}
