// A service whose heap fills up until half of its time is garbage collection: node --max-old-space-size=100 --expose-gc heap.mjs lifesign
import { createServer } from 'node:http';
import { getHeapSpaceStatistics } from 'node:v8';
import { lifesign } from './lifesign.mjs';

const { PORT, WATCHDOG_PORT } = process.env;
const [setUp] = process.argv.slice(2);
const limit = 100 * 2 ** 20;
const kept = [];
const oldGeneration = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !name.startsWith('new_'))
    .reduce((sum, { space_used_size: used }) => sum + used, 0);

/** Fills it with what stays, a piece at a time as requests do. Above 80 % of the limit V8 may end the process. */
function fill() {
  kept.push(Array.from({ length: 20_000 }, Math.random));
  if (oldGeneration() < 0.72 * limit) setTimeout(fill, 5);
  else collect();
}

/** Collects for half of the time, as V8 does in a heap that is full. */
function collect() {
  const start = performance.now();
  globalThis.gc();
  setTimeout(collect, performance.now() - start);
}

const server = createServer((req, res) => {
  if (req.url === '/fill') setImmediate(fill);
  res.end(JSON.stringify({ status: 'ok' }));
});
if (setUp === 'lifesign') {
  const { checks, Health } = await lifesign('frameworks/node');
  const health = new Health(server, { probes: true, watchdog: { port: Number(WATCHDOG_PORT) } });
  health.check(checks.eventLoop());
  health.check(checks.memory());
}
server.listen(Number(PORT), '127.0.0.1', () => process.send('listening'));
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(1));
