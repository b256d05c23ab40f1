// A service with a PostgreSQL, as the tests on a real Prometheus run it: node --import tsx app.ts PORT COMMIT [DATABASE_URL]
import { createServer } from 'node:http';
import { Pool } from 'pg';
import { Health } from 'lifesign/node';

const [port = '', commit = '', url = ''] = process.argv.slice(2);
const pool = url === '' ? undefined : new Pool({ connectionString: url, max: 2 });
pool?.on('error', () => {});
const server = createServer((_req, res) => res.end('hello'));
const health = new Health(server, {
  ...(pool !== undefined && { db: pool }),
  metrics: { refresh: 400 },
  timeout: 500,
  logger: false,
});
health.check('fine', () => []);
health.versionCallback(() => ({ commit, version: '1.0.0' }));
server.listen(Number(port), '127.0.0.1');
