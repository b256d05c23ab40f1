import type { Host } from '../host.js';
import { adonisHosts } from './adonisjs.js';
import { expressHosts } from './express.js';
import { fastifyHosts } from './fastify.js';
import { fetchHosts } from './fetch.js';
import { honoHosts } from './hono.js';
import { koaHosts } from './koa.js';
import { nestHosts } from './nestjs.js';
import { nodeHosts } from './node.js';

/** Every framework the conformance list runs over. A new one is a file here and one line below. */
export const hosts: readonly Host[] = [
  ...expressHosts,
  ...fastifyHosts,
  ...honoHosts,
  ...koaHosts,
  ...nodeHosts,
  ...fetchHosts,
  ...nestHosts,
  ...adonisHosts,
];
