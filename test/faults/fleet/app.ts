// A service with a pool, a page that needs it, and the probes: node --import tsx app.ts
import { createServer } from 'node:http';
import { Pool } from 'pg';
import { Health } from 'lifesign/node';

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  max: 3,
  connectionTimeoutMillis: 1500,
});
pool.on('error', () => {});

const server = createServer((req, res) => {
  if (req.url === '/leak') {
    // Connections that nobody gives back.
    void Promise.all([1, 2, 3].map(() => pool.connect().catch(() => {}))).then(() => res.end('leaked'));
    return;
  }
  pool.query('SELECT 1').then(
    () => res.end('hello'),
    () => res.writeHead(500).end('an error page'),
  );
});
new Health(server, {
  db: pool,
  timeout: 1000,
  summary: false,
  logger: false,
  probes: {
    restartAfter: 2000,
    probeEvery: 500,
    secondOpinionEvery: 1000,
    ...(process.env['PEERS'] !== undefined && { peers: process.env['PEERS'].split(',') }),
  },
});
server.listen(Number(process.env['PORT']), '127.0.0.1', () => process.send?.('listening'));
