// Express and Fastify are platforms of NestJS as well: what both of their Healths need of them.
import type { HealthCore } from '../core/health.js';
import { exchangeOf, idOf } from '../http/node/exchange.js';
import { type NodeRequest, type NodeResponse, serve } from '../http/node/serve.js';
import { warnOfShadowed } from './start.js';

/** Whether an Express application, or a router that it uses without a path, has a route at a path. */
export function hasExpressRoute(app: object, path: string): boolean {
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

/** The layers of an Express application. */
export function stackOf(app: object): unknown[] {
  // Asking Express 4 for its `router` throws.
  const router: unknown = Reflect.get(app, 'lazyrouter' in app ? '_router' : 'router');
  const stack: unknown = Reflect.get(Object(router), 'stack');
  return Array.isArray(stack) ? stack : [];
}

/** The part of Fastify's request and reply that is used. */
interface FastifyRequest {
  readonly raw: NodeRequest;
}
interface FastifyReply {
  readonly raw: NodeResponse;
  getHeader(name: 'vary'): ReturnType<NodeResponse['getHeader']>;
}

/** Whatever takes Fastify's hooks: Fastify itself, and Nest's adapter for it. */
export interface FastifyHooks {
  readonly genReqId?: (raw: NodeRequest) => string;
  setGenReqId?(generate: (raw: NodeRequest) => string): unknown;
  hasRoute(route: { readonly url: string; readonly method: Method }): boolean;
  addHook(
    name: 'onRequest',
    hook: (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void,
  ): unknown;
}

/** Serves requests that bypass the server: inject(), and the second address of `localhost`. */
export function serveByHooks(health: HealthCore<NodeRequest>, app: FastifyHooks): void {
  // `request.id` is our id, unless the application makes its ids itself.
  const traced = health.needsContext(undefined);
  const { genReqId } = app;
  if (traced && genReqId !== undefined && Reflect.get(genReqId, 'name') === 'defaultGenReqId') {
    app.setGenReqId?.((raw) => (health.closed ? genReqId(raw) : idOf(health, raw)));
  }
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request;
    const { url: target = '' } = raw;
    // Most requests came through the server and were served there.
    const known = exchangeOf(raw);
    if (known?.served === true) {
      known.lookForTrace();
      known.note(request);
      return done();
    }
    if (!traced && health.match(target) === undefined) return done();
    // Under inject() the application's hooks may have come first. Fastify keeps their headers beside the response.
    const vary = reply.getHeader('vary');
    if (vary !== undefined && health.match(target) !== undefined) reply.raw.setHeader('vary', String(vary));
    serve(health, request.raw, reply.raw, target, (context) => {
      context?.note(request);
      done();
    });
  });
}

/** Call it once all routes are registered. */
export function warnOfFastifyRoutes(health: HealthCore<NodeRequest>, app: FastifyHooks): void {
  warnOfShadowed(health, (url) => methods.some((method) => app.hasRoute({ url, method })));
}

/** lifesign answers every method at its paths. */
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
type Method = (typeof methods)[number];
