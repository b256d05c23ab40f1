import { createServer } from 'node:http';
import Koa from 'koa';
import { Health } from 'lifesign/koa';
import { addChecks, body } from './checks.mjs';

const make = (prepare = () => {}) => {
  const app = new Koa();
  prepare(app);
  app.use((context) => {
    context.body = body;
  });
  return createServer(app.callback());
};

export const bare = () => make();
export const pino = async () => {
  const { default: logger } = await import('koa-pino-logger');
  return make((app) => app.use(logger()));
};
export const lifesign = (options, checks) => make((app) => addChecks(new Health(app, options), checks));
