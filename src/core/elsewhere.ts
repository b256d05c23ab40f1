import { healthElsewhere } from './options/errors.js';

const entries =
  'lifesign/express, lifesign/fastify, lifesign/nestjs, lifesign/koa, lifesign/hono, lifesign/adonisjs, lifesign/node, lifesign/fetch or lifesign/worker';

/** Not here: `Health` is in the entry of your framework, such as `lifesign/express`. */
export const Health: { readonly importItFrom: typeof entries } = class {
  static readonly importItFrom = entries;

  constructor() {
    throw healthElsewhere(entries);
  }
};
