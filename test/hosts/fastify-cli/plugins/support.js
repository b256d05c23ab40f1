import fp from 'fastify-plugin';

export default fp(async (fastify) => {
  fastify.addHook('onRequest', async (request) => {
    request.user = { id: request.headers['x-user'] };
  });
});
