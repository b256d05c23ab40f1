// A shop with pages: every GET that no route has taken gets the index, as single-page applications do. `node pages.mjs lifesign`
import { createServer } from 'node:http';
import express from 'express';
import { Pool } from 'pg';
import { lifesign } from './lifesign.mjs';

const { DATABASE_URL, PORT, WATCHDOG_PORT } = process.env;
const pool = new Pool({ connectionString: DATABASE_URL, max: 2 });
pool.on('error', () => {});

const app = express();
app.post('/', async (_req, res) => {
  await pool.query('SELECT page()');
  res.send('an order');
});
// The first page needs the database, and the rest of the application is in the browser.
app.get('/', async (_req, res) => {
  await pool.query('SELECT page()');
  res.send('<!doctype html>');
});
app.get('/{*any}', (_req, res) => {
  res.send('<!doctype html><title>Shop</title><div id="root"></div>');
});

const server = createServer(app);
// Added later, at the end of the file, in each of the set-ups.
if (process.argv[2] === 'lifesign') {
  const { Health } = await lifesign('frameworks/express');
  const { drainOnSignals } = await lifesign('http/drain/drain');
  const health = new Health(app, { db: pool, probes: true, watchdog: { port: Number(WATCHDOG_PORT) } });
  drainOnSignals(health, { server });
} else {
  app.get('/health', async (_req, res) => {
    await pool.query('SELECT 1');
    res.json({ status: 'ok' });
  });
  process.on('SIGTERM', () => server.close(() => process.exit(0)));
}
app.use((_error, _req, res, _next) => res.status(500).send('an error page'));
server.listen(Number(PORT), '127.0.0.1', () => process.send('listening'));
process.on('disconnect', () => process.exit(1));
