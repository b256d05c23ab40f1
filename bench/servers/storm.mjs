// A service whose own queries share a pool of ten with a check of 20 ms; DATABASE_URL says where.
import { createServer } from 'node:http';
import { Pool } from 'pg';
import { Health } from 'lifesign/node';

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const slowCheck = async () => {
  await pool.query('SELECT pg_sleep(0.02)');
};

/** The service's own queries: one each 5 ms, how long each took. */
let latencies = [];
setInterval(async () => {
  const start = performance.now();
  await pool.query('SELECT 1');
  latencies.push(performance.now() - start);
}, 5);

function answering(server) {
  server.answer = () => {
    const sorted = latencies.toSorted((a, b) => a - b);
    latencies = [];
    return {
      p50: sorted[sorted.length >> 1],
      p99: sorted[Math.floor(sorted.length * 0.99)],
      count: sorted.length,
    };
  };
  return server;
}

const withHealth = (options) => {
  const server = createServer((_req, res) => res.end());
  new Health(server, { summary: false, requestContext: false, ...options }).check('slow', slowCheck);
  return answering(server);
};

export const plain = () => withHealth({});
export const coalesced = () => withHealth({ coalesce: true });
export const terminus = async () => {
  const { createTerminus } = await import('@godaddy/terminus');
  const server = createServer((_req, res) => res.end());
  return answering(
    createTerminus(server, {
      healthChecks: { '/__heartbeat__': slowCheck, '/__lbheartbeat__': async () => {} },
    }),
  );
};
