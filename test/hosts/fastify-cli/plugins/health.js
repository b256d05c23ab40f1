import fp from 'fastify-plugin';
import lifesign, { Health } from 'lifesign/fastify';

const check = (health) => health.check('storage', async () => []);

/** How people write this file: with fastify-plugin or without, the class or the plugin. */
const forms = {
  class: async (fastify) => check(new Health(fastify)),
  'class, fp': fp(async (fastify) => check(new Health(fastify))),
  async plugin(fastify) {
    await fastify.register(lifesign);
    check(fastify.health);
  },
  'plugin, fp': fp(async (fastify) => {
    await fastify.register(lifesign);
    check(fastify.health);
  }),
};

export default forms[process.env.HEALTH_FORM];
