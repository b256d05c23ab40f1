import Fastify from 'fastify';
import { Health } from 'lifesign/fastify';
import { addChecks, body, ready } from './checks.mjs';
import { floor as byHandFloor } from './floor.mjs';

const make = async (options = {}, prepare = async () => {}) => {
  const app = Fastify(options);
  await prepare(app);
  app.get('/', async () => body);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app.server;
};

export const bare = () => make();
export const floor = async () => byHandFloor(await bare(), false);
export const floorInContext = async () => byHandFloor(await bare(), true);
export const lifesign = (options, checks) =>
  make({}, async (app) => addChecks(new Health(app, options), checks));
export const logger = () => make({ logger: true });
export const pressure = () =>
  make({}, async (app) => {
    const { default: underPressure } = await import('@fastify/under-pressure');
    await app.register(underPressure, { exposeStatusRoute: '/live' });
    app.get('/ready', async () => {
      await Promise.all([ready(), ready(), ready()]);
      return { status: 'ok' };
    });
  });
export const healthchecked = () =>
  make({}, async (app) => {
    const { default: healthcheck } = await import('fastify-healthcheck');
    await app.register(healthcheck);
  });
