// Measures the constants of the simulator on this machine: node --import tsx bench/scale/measure.ts
// Processor time, not time on the clock: it is the same on a busy machine.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { Health } from '../../src/frameworks/node.js';
import { install } from '../../test/services/install.js';
import { services } from '../../test/services/list.js';
import { type Constants, constantsFile } from './constants.js';
import { processorTime } from './processor.js';
import { randomFrom } from './random.js';

const runs = 3000;
const connections = 150;
const quiet = { logger: { log: () => {} }, summary: false } as const;

/** Seconds of processor of a process and its children for each of so many rounds. */
async function costOf(pid: number, rounds: number, round: () => Promise<unknown>): Promise<number> {
  for (let index = 0; index < rounds / 10; index += 1) await round();
  const before = processorTime(pid);
  for (let index = 0; index < rounds; index += 1) await round();
  return (processorTime(pid) - before) / rounds;
}

/** By many connections that sleep between two queries, as those of a fleet do: that costs about twice as much as one that is kept busy. */
async function measureDatabase(): Promise<Constants['database']> {
  const server = await services.postgres.start();
  const instances = Array.from({ length: 100 }, () => {
    // With a listener, as pg wants it: without one the check leaves no connection of its own in a pool that is idle.
    const pool = new pg.Pool({ connectionString: server.url, max: 1, idleTimeoutMillis: 0 }).on(
      'error',
      () => {},
    );
    return { pool, health: new Health({ ...quiet, db: pool }) };
  });
  const durations: number[] = [];
  let [next, failed] = [0, 0];
  const query = await costOf(server.pid, runs, async () => {
    next = (next + 1) % instances.length;
    await new Promise((resolve) => setTimeout(resolve, 2));
    const started = performance.now();
    const status = (await instances[next]?.health.heartbeat())?.status;
    durations.push(performance.now() - started);
    // On a busy machine one may run into its timeout.
    if (status !== 'ok') failed += 1;
    if (failed > runs / 100) throw new Error(`${failed} heartbeats failed, the last is ${status}`);
  });
  const connected = await costOf(server.pid, connections, async () => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query('SELECT 1');
    await client.end();
  });
  for (const { pool, health } of instances) {
    health.close();
    await pool.end();
  }
  await server.stop();
  return { query, connect: connected - query, took: medianOf(durations) / 1000 };
}

async function measureRedis(): Promise<Constants['redis']> {
  const server = await services.redis.start();
  const redis = new Redis(server.url);
  const health = new Health({ ...quiet, redis });
  const ping = await costOf(server.pid, runs, () => health.heartbeat());
  redis.disconnect();
  health.close();
  await server.stop();
  return { ping };
}

/** Of this process, with both checks and without the servers. */
async function measureHeartbeat(): Promise<number> {
  const [postgres, keyValue] = [await services.postgres.start(), await services.redis.start()];
  const pool = new pg.Pool({ connectionString: postgres.url, max: 1 }).on('error', () => {});
  const redis = new Redis(keyValue.url);
  const health = new Health({ ...quiet, db: pool, redis });
  for (let run = 0; run < 300; run += 1) await health.heartbeat();
  const before = process.cpuUsage();
  for (let run = 0; run < runs; run += 1) await health.heartbeat();
  const { user, system } = process.cpuUsage(before);
  redis.disconnect();
  health.close();
  await pool.end();
  await Promise.all([postgres.stop(), keyValue.stop()]);
  return (user + system) / 1e6 / runs;
}

/** The exposition of an instance with so many checks, after some heartbeats. */
async function scrapeOf(checks: number): Promise<string> {
  const server = createServer();
  const health = new Health(server, { ...quiet });
  for (let index = 0; index < checks; index += 1) health.check(`check_number_${index}`, () => []);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  for (let beat = 0; beat < 3; beat += 1) await health.heartbeat();
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/__metrics__`);
  if (answer.status !== 200) throw new Error(`The scrape answered ${answer.status}`);
  const text = await answer.text();
  health.close();
  server.closeAllConnections();
  server.close();
  return text;
}

const samplesOf = (exposition: string) => exposition.split('\n').filter((line) => /^\w/.test(line));

/** What each adds, from one instance without checks and one with ten. */
function perInstance(none: number, ten: number): { base: number; perCheck: number } {
  return { base: none, perCheck: (ten - none) / 10 };
}

/** Bytes of a sample on the disk: a block that promtool writes of what an instance with ten checks exports in six hours. */
function bytesPerSample(exposition: string): number {
  const directory = mkdtempSync(join(tmpdir(), 'lifesign-scale-'));
  const [every, hours] = [15, 2];
  const end = Date.UTC(2026, 10, 15) / 1000;
  const random = randomFrom(1);
  const lines: string[] = [];
  let samples = 0;
  for (const line of samplesOf(exposition)) {
    const [, series = '', first = ''] = /^(.*) (\S+)$/.exec(line) ?? [];
    let value = Number(first);
    for (let time = end - hours * 3600; time < end; time += every) {
      // Counters grow with the heartbeats, one or two a scrape; sums by what a check takes; the other gauges stand.
      if (/_(?:total|bucket|count)\b/.test(series) && value > 0) value += random() < 0.5 ? 1 : 2;
      else if (/_sum\b/.test(series)) value += random() * 0.004;
      else if (series.includes('timestamp_seconds')) value = time - random() * 10;
      lines.push(`${series.replace(/^(\w+)/, 'm_$1')} ${value} ${time}`);
      samples += 1;
    }
  }
  // All samples of a series stand together, under one type that says nothing.
  writeFileSync(join(directory, 'in'), `${lines.join('\n')}\n# EOF\n`);
  execFileSync('promtool', [
    'tsdb',
    'create-blocks-from',
    'openmetrics',
    join(directory, 'in'),
    join(directory, 'out'),
  ]);
  const files = readdirSync(join(directory, 'out'), { recursive: true }).map((name) =>
    join(directory, 'out', String(name)),
  );
  const bytes = files
    .filter((file) => /chunks\/\d+$/.test(file))
    .reduce((sum, file) => sum + statSync(file).size, 0);
  rmSync(directory, { recursive: true });
  return bytes / samples;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

const rounded = (value: number) => Number(value.toPrecision(3));

await install([services.postgres, services.redis, services.prometheus]);
process.env['HEALTH_METRICS'] = 'true';
const [none, ten] = [await scrapeOf(0), await scrapeOf(10)];
delete process.env['HEALTH_METRICS'];
const database = await measureDatabase();
const redis = await measureRedis();
const constants: Constants = {
  on: `Node ${process.versions.node}, PostgreSQL 15, Redis 7, Prometheus 2.42, ${cpus().length} cores of ${process.arch}`,
  database: {
    query: rounded(database.query),
    connect: rounded(database.connect),
    took: rounded(database.took),
  },
  redis: { ping: rounded(redis.ping) },
  heartbeat: rounded(await measureHeartbeat()),
  scrape: {
    series: perInstance(samplesOf(none).length, samplesOf(ten).length),
    bytes: perInstance(none.length, ten.length),
    bytesPerSample: rounded(bytesPerSample(ten)),
  },
};
writeFileSync(constantsFile, `${JSON.stringify(constants, null, 2)}\n`);
console.log(readFileSync(constantsFile, 'utf8'));
process.exit(0);
