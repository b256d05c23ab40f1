// A queue worker whose jobs call a service without a timeout, as `http.request` does it: `node worker.mjs lifesign`.
import { Agent, createServer, get } from 'node:http';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { lifesign } from './lifesign.mjs';

const { REDIS_URL, SERVICE_URL, PORT } = process.env;
const [setUp] = process.argv.slice(2);
const connection = new Redis(REDIS_URL, { maxRetriesPerRequest: null });
connection.on('error', () => {});
const agent = new Agent({ keepAlive: true });
const call = () =>
  new Promise((resolve, reject) => {
    get(SERVICE_URL, { agent }, (answer) => answer.resume().on('end', resolve)).on('error', reject);
  });
const worker = new Worker('mail', call, { connection });
worker.on('error', () => {});

if (setUp.startsWith('lifesign')) {
  const { Health, checks } = await lifesign('worker/index');
  const queue = new Queue('mail', { connection });
  const health = new Health({ port: Number(PORT), redis: connection, probes: true });
  // As long as the longest job may take, which only the application knows.
  const progress = checks.progress({ consumer: worker, queue, stalledAfter: '10s' });
  health.check('mail', progress, setUp === 'lifesign' ? {} : { restartAfter: '10s' });
  await health.listening();
} else {
  const server = createServer(async (_req, res) => {
    await connection.ping();
    res.end('{"status":"ok"}');
  });
  await new Promise((resolve) => server.listen(Number(PORT), '127.0.0.1', resolve));
}
process.on('disconnect', () => process.exit(1));
process.send('listening');
