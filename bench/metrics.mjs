// A scrape with 30 checks, beside prom-client serving the same series: npm run build && node bench/metrics.mjs
import { Registry } from 'prom-client';
import { createHandler } from '../dist/index.js';

const rounds = 7;
const scrapes = 500;

async function made(options) {
  const handle = createHandler({ logger: false, ...options });
  for (let index = 0; index < 30; index += 1) handle.health.check(`check_${index}`, () => []);
  for (let count = 0; count < 10; count += 1) await handle('GET', '/__heartbeat__', { headers: {} });
  return () => handle('GET', '/__metrics__', { headers: {} });
}

/** Microseconds of processor time a scrape, the median of the rounds. */
async function measure(scrape) {
  const taken = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    for (let count = 0; count < scrapes; count += 1) await scrape();
    const { user, system } = process.cpuUsage(before);
    taken.push((user + system) / scrapes);
  }
  return taken.toSorted((a, b) => a - b)[Math.floor(rounds / 2)];
}

const { body } = await (await made({ metrics: true }))();
console.log(`${body.split('\n').length} lines, ${body.length} characters`);
console.log('lifesign', Math.round(await measure(await made({ metrics: true }))), 'µs a scrape');
const registry = new Registry();
console.log(
  'prom-client with the same series in its registry',
  Math.round(await measure(await made({ metrics: { registry, path: '/__metrics__' } }))),
  'µs a scrape',
);
