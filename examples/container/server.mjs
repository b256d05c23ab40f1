// A small shop front: the endpoints, hashed assets that are cached for a year, a page that is not.
import { createServer } from 'node:http';
import express from 'express';
import { Health, listenOptions } from 'lifesign/express';
import { drainOnSignals } from 'lifesign/drain';

const app = express();
const health = new Health(app, { versionPath: import.meta.dirname, loggerName: 'shop' });

health.check('clock', () => (Date.now() > 0 ? [] : undefined));

// The name of a hashed file changes with its content: whoever has it never has to ask again.
app.use('/assets', express.static('public/assets', { immutable: true, maxAge: '1y', fallthrough: false }));
app.use(
  express.static('public', {
    cacheControl: false,
    setHeaders: (res) => res.set('Cache-Control', 'no-cache'),
  }),
);

const server = createServer(app).listen(listenOptions());
drainOnSignals(server, health);
