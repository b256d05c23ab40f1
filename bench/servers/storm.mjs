// A service whose own queries share a pool of ten with a check of 20 ms; DATABASE_URL says where.
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Pool } from 'pg';
import { Health } from 'lifesign/node';

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 }).on('error', () => {});
const slowCheck = async () => {
  await pool.query('SELECT pg_sleep(0.02)');
};

/** The service's own queries: one each 5 ms. How long each took, and how long it waited for a connection. */
let [took, waited] = [[], []];
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
setInterval(async () => {
  const start = performance.now();
  const client = await pool.connect();
  waited.push(performance.now() - start);
  await client.query('SELECT 1');
  client.release();
  took.push(performance.now() - start);
}, 5);

const p99 = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;

function answering(server) {
  server.answers = {
    /** Of the time since it was asked last. */
    latency() {
      const seen = { took: p99(took), waited: p99(waited), loop: delay.percentile(99) / 1e6 - 1 };
      [took, waited] = [[], []];
      delay.reset();
      return { ...seen, cpu: process.cpuUsage() };
    },
  };
  return server;
}

const route = (_req, res) => res.end('{"hello":"world"}');
export const bare = () => answering(createServer(route));
const withHealth = (options) => {
  const server = createServer(route);
  new Health(server, options).check('slow', slowCheck);
  return answering(server);
};
export const plain = (options) => withHealth(options);
export const coalesced = (options) => withHealth({ ...options, coalesce: true });
export const terminus = async () => {
  const { createTerminus } = await import('@godaddy/terminus');
  return answering(createTerminus(createServer(route), { healthChecks: { '/__heartbeat__': slowCheck } }));
};
