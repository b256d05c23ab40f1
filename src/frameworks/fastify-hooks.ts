import type { HealthCore } from '../core/health.js';
import {
  answers,
  goOn,
  leavesTrace,
  noteUser,
  type NodeRequest,
  type NodeResponse,
  serve,
} from './node-http.js';

/** What is used of Fastify's request and reply. */
export interface FastifyRequest {
  readonly raw: NodeRequest;
  readonly user?: unknown;
}
export interface FastifyReply {
  readonly raw: NodeResponse;
}

/** Whatever takes Fastify's hooks: Fastify itself, and Nest's adapter for it. */
export interface FastifyHooks {
  addHook(
    name: 'onRequest' | 'preValidation',
    hook: (request: FastifyRequest, reply: FastifyReply, done: () => void) => void,
  ): unknown;
}

/** Serves what does not come through the server: inject(), and the second address of `localhost`. */
export function serveByHooks(health: HealthCore<NodeRequest>, app: FastifyHooks): void {
  if (!leavesTrace(health)) {
    app.addHook('onRequest', ({ raw }, reply, done) => {
      if (!answers(health, raw, reply.raw)) done();
    });
    return;
  }
  app.addHook('onRequest', ({ raw }, reply, done) =>
    serve(health, raw, reply.raw, raw.url ?? '', () => done()),
  );
  // The events of a request's body come outside its context.
  app.addHook('preValidation', (request, _reply, done) => {
    noteUser(request.raw, () => request.user);
    goOn(request.raw, done);
  });
}
