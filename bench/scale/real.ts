// The probes of 200 instances against one PostgreSQL, and what the simulator says of the same: node --import tsx bench/scale/real.ts [--write]
import { Agent, createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { Health } from '../../src/frameworks/node.js';
import { install } from '../../test/services/install.js';
import { services } from '../../test/services/list.js';
import type { RunningService } from '../../test/services/service.js';
import { readConstants } from './constants.js';
import { asksOf, type Settings } from './instance.js';
import { arrivals, type Fleet } from './load.js';
import { writeTables } from './page.js';
import { processorTime } from './processor.js';
import { randomFrom } from './random.js';
import { figure, table } from './tables.js';

const constants = readConstants();
const probers = [{ every: 10 }, { every: 5 }, { every: 5 }, { every: 5 }];
const common = { instances: 200, probers, seconds: 30, seed: 1, took: constants.database.took };
const agent = new Agent({ keepAlive: true, maxSockets: 2 });

interface Instance {
  readonly port: number;
  readonly runs: () => number;
  close(): Promise<void>;
}

async function start(
  database: RunningService,
  { coalesce = false, cacheFor = 0, probeEvery }: Settings,
): Promise<Instance> {
  const pool = new pg.Pool({ connectionString: database.url, max: 1, idleTimeoutMillis: 0 }).on(
    'error',
    () => {},
  );
  // The connection that an application would have.
  await pool.query('SELECT 1');
  let runs = 0;
  pool.on('acquire', () => (runs += 1));
  const server: Server = createServer();
  // A prober of every 5 s would use a connection at the moment at which Node closes it for being idle.
  server.keepAliveTimeout = 0;
  const health = new Health(server, {
    db: pool,
    coalesce,
    cacheFor: cacheFor * 1000,
    ...(probeEvery !== undefined && { probes: { probeEvery: probeEvery * 1000 } }),
    summary: false,
    logger: { log: () => {} },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    runs: () => runs,
    async close() {
      health.close();
      server.closeAllConnections();
      server.close();
      await pool.end();
    },
  };
}

function ask(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path, agent }, (res) =>
      res
        .on('error', reject)
        .on('end', () => resolve(res.statusCode ?? 0))
        .resume(),
    ).on('error', reject);
  });
}

/** The status; a connection that breaks is tried again, as a kubelet would the next time. */
async function probe(port: number, path: string): Promise<number> {
  try {
    return await ask(port, path);
  } catch {
    return ask(port, path);
  }
}

/** Queries and seconds of processor that a real run takes. */
async function run(database: RunningService, fleet: Fleet): Promise<{ queries: number; processor: number }> {
  const instances: Instance[] = [];
  for (let index = 0; index < fleet.instances; index += 1)
    instances.push(await start(database, fleet.settings));
  const random = randomFrom(fleet.seed);
  const before = processorTime(database.pid);
  const probes: Promise<number>[] = [];
  const path = fleet.settings.probeEvery === undefined ? '/__heartbeat__' : '/readyz';
  for (const { port } of instances) {
    for (const ask of asksOf(fleet.probers, fleet.seconds, random)) {
      probes.push(
        new Promise<void>((resolve) => setTimeout(resolve, ask * 1000)).then(() => probe(port, path)),
      );
    }
  }
  const codes = await Promise.all(probes);
  const failed = codes.filter((code) => code !== 200).length;
  // On a busy machine a few run into their timeout; more than that is another experiment.
  if (failed > codes.length / 100) throw new Error(`${failed} of ${codes.length} heartbeats failed`);
  const queries = instances.reduce((sum, { runs }) => sum + runs(), 0);
  const processor = processorTime(database.pid) - before;
  await Promise.all(instances.map((instance) => instance.close()));
  return { queries, processor };
}

await install([services.postgres]);
const database = await services.postgres.start({ args: ['-c', 'max_connections=300'] });
const cases: readonly (readonly [string, Settings])[] = [
  ['none', {}],
  ['`coalesce`', { coalesce: true }],
  ['`cacheFor: 5000`', { cacheFor: 5 }],
  ['`cacheFor: 30000`', { cacheFor: 30 }],
  ['`probeEvery: 1000`', { probeEvery: 1 }],
  ['`probeEvery: 10000`', { probeEvery: 10 }],
];
const rows: string[][] = [];
try {
  for (const [name, settings] of cases) {
    const fleet = { ...common, settings };
    const simulated = arrivals(fleet).reduce((sum, many) => sum + many, 0);
    const real = await run(database, fleet);
    const share = (processor: number) => `${figure((100 * processor) / fleet.seconds)} % of a core`;
    const row = [
      name,
      figure(simulated),
      figure(real.queries),
      share(simulated * constants.database.query),
      share(real.processor),
    ];
    console.log(row.join(' | '));
    rows.push(row);
  }
} finally {
  await database.stop();
}
const heads = ['setting', 'queries, simulated', 'queries, real', 'PostgreSQL, simulated', 'PostgreSQL, real'];
const text = table(heads, rows);
console.log(text);
if (process.argv.includes('--write')) writeTables({ real: text });
process.exit(0);
