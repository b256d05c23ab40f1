import type { RequestContext } from '../core/request/request.js';
import { isObject } from '../core/objects.js';

/** The label of a request without a route. */
const unknownRoute = 'unknown';

/**
 * The pattern of the route that a framework chose, never the path of the request: as the framework reported it, or as read from
 * its own request, by its shape.
 */
export function routeOf(context: RequestContext, code: number): string {
  if (context.route !== undefined) return context.route;
  const { request } = context;
  if (!isObject(request)) return unknownRoute;
  // Fastify.
  const options = Reflect.get(request, 'routeOptions');
  if (isObject(options)) return textOf(Reflect.get(options, 'url'));
  // Koa with its router: a text or a regular expression.
  const matched: unknown = Reflect.get(request, '_matchedRoute');
  if (matched !== undefined) return textOf(matched);
  // AdonisJS.
  const route: unknown = Reflect.get(request, 'route');
  if (isObject(route)) return textOf(Reflect.get(route, 'pattern'));
  const req: unknown = Reflect.get(request, 'req');
  return isObject(req) ? routeOfHono(req, code) : unknownRoute;
}

/** The last matching handler is the one that answered. Middleware that answered with 404 matched nothing. */
function routeOfHono(req: object, code: number): string {
  const matched: unknown = Reflect.get(req, 'matchedRoutes');
  const index: unknown = Reflect.get(req, 'routeIndex');
  const route: unknown = Array.isArray(matched) && typeof index === 'number' ? matched[index] : undefined;
  if (!isObject(route)) return unknownRoute;
  const handler: unknown = Reflect.get(route, 'handler');
  const isMiddleware = typeof handler === 'function' && handler.length > 1;
  return isMiddleware && code === 404 ? unknownRoute : textOf(Reflect.get(route, 'path'));
}

function textOf(pattern: unknown): string {
  if (pattern instanceof RegExp) return String(pattern);
  return typeof pattern === 'string' && pattern !== '' ? pattern : unknownRoute;
}
