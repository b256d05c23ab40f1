// A small shop front: the endpoints, hashed assets cached for a year, and a page that is never cached.
import { createServer } from 'node:http';
import express from 'express';
import { Health, listenOptions } from 'lifesign/express';
import { drainOnSignals } from 'lifesign/drain';

const app = express();
const health = new Health(app, { versionPath: import.meta.dirname, loggerName: 'shop' });

health.check('clock', () => (Date.now() > 0 ? [] : undefined));

// A hashed file gets a new name when its content changes, so browsers never have to ask again.
app.use('/assets', express.static('public/assets', { immutable: true, maxAge: '1y', fallthrough: false }));
app.use(
  express.static('public', {
    cacheControl: false,
    setHeaders: (res) => res.set('Cache-Control', 'no-cache'),
  }),
);

const server = createServer(app).listen(listenOptions());
drainOnSignals(health, { server });
