import { health, type Health } from './index.js';

export { health };
export default health;

declare module 'fastify' {
  interface FastifyInstance {
    /** Where `app.register(health)` puts the Health. */
    health: Health;
  }
}
