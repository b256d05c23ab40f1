import { health, type Health } from './index.js';

export { health };
export default health;

declare module 'fastify' {
  interface FastifyInstance {
    /** The Health that `app.register(health)` adds. */
    health: Health;
  }
}
