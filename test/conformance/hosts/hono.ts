import { Hono } from 'hono';
import { Health, requestId } from 'lifesign/hono';
import { collecting, endlessResponse, type Host, prepare } from '../host.js';
import { listenFetch } from './listen-fetch.js';

export const honoHosts: readonly Host[] = [
  {
    name: 'Hono',
    async start(setup) {
      const { options, records } = collecting(setup);
      const app = new Hono();
      const health = new Health(app, options);
      prepare(health, setup);
      app.get('/', (c) => c.json({ hello: 'world' }));
      app.get('/rid', (c) => c.json({ rid: requestId() ?? null }));
      app.get('/boom', () => {
        throw new Error('boom from app');
      });
      app.get('/stream', () => endlessResponse());
      app.post('/echo', async (c) => {
        if (c.req.header('Content-Type') === 'application/json') await c.req.json();
        return c.json({ posted: true }, 201);
      });
      app.notFound((c) => c.json({ application: 'not found' }, 404));
      app.onError((_error, c) => c.json({ application: 'failed' }, 500));
      return listenFetch(app.fetch, health, records);
    },
  },
];
