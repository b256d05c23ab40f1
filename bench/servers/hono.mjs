import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Health } from 'lifesign/hono';
import { addChecks, body } from './checks.mjs';
import { floor as byHandFloor } from './floor.mjs';

const make = (prepare = () => {}) => {
  const app = new Hono();
  prepare(app);
  app.get('/', (context) => context.json(body));
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(server));
  });
};

export const bare = () => make();
export const floor = async () => byHandFloor(await bare(), false);
export const floorInContext = async () => byHandFloor(await bare(), true);
/** Hono's own logger: a line of text before and after each request. */
export const logger = async () => {
  const { logger: middleware } = await import('hono/logger');
  return make((app) => app.use(middleware()));
};
export const lifesign = (options, checks) => make((app) => addChecks(new Health(app, options), checks));
