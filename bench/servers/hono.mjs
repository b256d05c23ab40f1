import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Health } from 'lifesign/hono';
import { addChecks, body } from './checks.mjs';

const make = (prepare = () => {}) => {
  const app = new Hono();
  prepare(app);
  app.get('/', (context) => context.json(body));
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(server));
  });
};

export const bare = () => make();
export const lifesign = (options, checks) => make((app) => addChecks(new Health(app, options), checks));
