import type { HealthCore } from '../../core/health.js';
import { exchangeOf, idOf } from '../../http/node/exchange.js';
import { type NodeRequest, type NodeResponse, serve } from '../../http/node/serve.js';

/** The part of Fastify's request and reply that is used. */
interface FastifyRequest {
  readonly raw: NodeRequest;
}
interface FastifyReply {
  readonly raw: NodeResponse;
  getHeader(name: 'vary'): ReturnType<NodeResponse['getHeader']>;
}

/** What accepts Fastify's hooks: Fastify itself, and Nest's adapter for it. */
export interface FastifyHooks {
  readonly genReqId?: (raw: NodeRequest) => string;
  setGenReqId?(generate: (raw: NodeRequest) => string): unknown;
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
