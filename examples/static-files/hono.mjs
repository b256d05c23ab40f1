// Assets with a hash in their name for a year, everything else revalidated each time; a missing asset is not cached.
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { Health, listenOptions } from 'lifesign/hono';

const app = new Hono();
new Health(app);

const cached = (value) => (_path, c) => c.header('Cache-Control', value);
app.use('/assets/*', serveStatic({ root: 'public', onFound: cached('public, max-age=31536000, immutable') }));
app.use('/*', serveStatic({ root: 'public', onFound: cached('no-cache') }));

const { port, host: hostname } = listenOptions();
serve({ fetch: app.fetch, port, hostname });
