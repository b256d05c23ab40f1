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
export const lifesign = () =>
  make((app) => addChecks(new Health(app, { summary: false, requestContext: false }), 3));
