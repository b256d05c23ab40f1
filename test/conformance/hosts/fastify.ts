import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { Health, requestId } from 'lifesign/fastify';
import { collecting, endless, type Host, listen, prepare, type Setup } from '../host.js';

export const fastifyHosts: readonly Host[] = [
  {
    name: 'Fastify 5',
    async start(setup: Setup) {
      const { options, records } = collecting(setup);
      const app = Fastify();
      const health = new Health(app, options);
      prepare(health, setup);
      routes(app);
      await app.ready();
      const running = await listen(app.server, health, records);
      return { ...running, close: () => app.close().then(() => undefined) };
    },
  },
];

function routes(app: FastifyInstance): void {
  app.get('/', () => ({ hello: 'world' }));
  app.get('/rid', () => ({ rid: requestId() }));
  app.get('/boom', () => {
    throw new Error('boom from app');
  });
  app.get('/stream', (_request, reply) => reply.send(Readable.from(endless())));
  app.post('/echo', (_request, reply) => reply.code(201).send({ posted: true }));
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ application: 'not found' }));
}
