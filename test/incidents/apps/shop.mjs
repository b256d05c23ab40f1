// One instance of a shop with a database; the set-up that is named reports its health: `node shop.mjs lifesign`.
import { createServer } from 'node:http';
import { Pool } from 'pg';
import { setUps } from './set-ups.mjs';

const { DATABASE_URL, PORT, WATCHDOG_PORT } = process.env;
const pool = new Pool({ connectionString: DATABASE_URL, max: 2 });
pool.on('error', () => {});

/** Matches what people type before they find out that it takes time without end on some texts. */
const words = /^(\w+\s?)+$/;

/** One text after the other, so that it takes as long on every machine. */
function matchWords() {
  for (const until = Date.now() + 12_000; Date.now() < until;) words.test(`${'word'.repeat(6)}!`);
}

const routes = {
  '/': () => pool.query('SELECT page()').then(() => 'hello'),
  /** Answers first, so that only the event loop is in trouble. */
  '/search'() {
    setImmediate(matchWords);
    return 'found';
  },
};
const route = async (url) => (routes[url] ?? routes['/'])();
const server = createServer((req, res) => {
  route(req.url).then(
    (text) => res.end(text),
    () => res.writeHead(500).end('an error page'),
  );
});

await setUps[process.argv[2]]({
  server,
  pool,
  route,
  port: Number(PORT),
  secondPort: Number(WATCHDOG_PORT),
  listen: () => new Promise((resolve) => server.listen(Number(PORT), '127.0.0.1', resolve)),
});
process.on('disconnect', () => process.exit(1));
process.send('listening');
