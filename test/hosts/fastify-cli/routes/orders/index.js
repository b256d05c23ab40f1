import { requestId } from 'lifesign/fastify';

export default async function orders(fastify) {
  fastify.get('/', (request) => ({ id: request.id, rid: requestId() }));
  fastify.get('/boom', () => {
    throw new Error('no orders');
  });
}
