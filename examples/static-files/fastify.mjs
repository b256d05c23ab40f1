// Assets with a hash in their name for a year, everything else revalidated each time; a missing asset is not cached.
import { resolve } from 'node:path';
import fastifyStatic from '@fastify/static';
import Fastify from 'fastify';
import { Health, listenOptions } from 'lifesign/fastify';

const app = Fastify();
new Health(app);

const year = { immutable: true, maxAge: '1y' };
app.register(fastifyStatic, { root: resolve('public/assets'), prefix: '/assets/', ...year });
app.register(fastifyStatic, {
  root: resolve('public'),
  decorateReply: false,
  globIgnore: ['assets/**'],
  wildcard: false,
  setHeaders: (reply) => reply.header('Cache-Control', 'no-cache'),
});

await app.listen(listenOptions());
