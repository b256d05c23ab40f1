import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { PrismaPg } from '@prisma/adapter-pg';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { Cluster, Redis } from 'ioredis';
import { Pool, type PoolConfig } from 'pg';
import postgres from 'postgres';
import { createClient, createCluster, createSentinel } from 'redis';
import type { DatabaseClient, RedisClient } from 'lifesign/checks';
import { versionOf } from '../checks/clients/client.js';
import { generatePrisma7 } from '../hosts/prisma.js';
import { heartbeats } from '../checks/heartbeats.js';
import { migrationFiles } from '../checks/migration-files.js';
import { start, versionOf as mikroVersion } from '../hosts/mikro7/start.js';
import { generatePrisma6, prisma6Version, PrismaPg6 } from '../hosts/prisma6/generate.js';
import { bouncerStage, postgresStage } from './postgres-stage.js';
import { clusterStage, sentinelStage, tlsStage } from './redis-stage.js';
import { type Opened, planted, type SetUp, type Stage } from './stage.js';

/** Milliseconds for each check. */
const timeout = 3000;
const size = 3;
const silent = () => {};
const { user: username, password } = planted;
const sleep = 'SELECT pg_sleep(10)';
const tlsOf = ({ ca }: Stage) => (ca === undefined ? {} : { tls: { ca, servername: 'localhost' } });

function database(client: DatabaseClient, query: (sql: string) => Promise<unknown>, close: () => unknown) {
  const exhaust = () => Promise.allSettled(Array.from({ length: size }, () => query(sleep)));
  return { ids: heartbeats({ db: client, timeout }).ids, exhaust, close };
}

function key(client: RedisClient, close: () => unknown): Opened {
  return { ids: heartbeats({ redis: client, timeout }).ids, close };
}

const configOf = ({ port, database: name, ca }: Stage): PoolConfig => ({
  host: '127.0.0.1',
  port,
  user: planted.user,
  password,
  database: name,
  max: size,
  ...(ca !== undefined && { ssl: { ca, servername: 'localhost' } }),
});

function poolOf(stage: Stage): Pool {
  const pool = new Pool(configOf(stage));
  pool.on('error', silent);
  pool.on('connect', (client) => client.on('error', silent));
  return pool;
}

async function pgPool(stage: Stage): Promise<Opened> {
  const pool = poolOf(stage);
  return database(
    pool,
    (sql) => pool.query(sql),
    () => pool.end(),
  );
}

async function postgresJs(stage: Stage): Promise<Opened> {
  const { host, ...config } = configOf(stage);
  const sql = postgres({ ...(config as object), host: String(host), prepare: false, onnotice: silent });
  return database(
    sql,
    (text) => sql.unsafe(text),
    () => sql.end({ timeout: 0 }),
  );
}

async function prisma7(stage: Stage): Promise<Opened> {
  const Prisma = generatePrisma7('postgresql');
  const prisma = new Prisma({ adapter: new PrismaPg(configOf(stage)) });
  return database(
    prisma,
    (sql) => prisma.$executeRawUnsafe(sql),
    () => prisma.$disconnect(),
  );
}

async function prisma6(stage: Stage): Promise<Opened> {
  const Prisma = generatePrisma6();
  const prisma = new Prisma({ adapter: new PrismaPg6(configOf(stage)) });
  return database(
    prisma,
    (sql) => prisma.$executeRawUnsafe(sql),
    () => prisma.$disconnect(),
  );
}

async function drizzleMigrations(stage: Stage): Promise<Opened> {
  const folder = mkdtempSync(`${tmpdir()}/lifesign-clients-`);
  await migrationFiles.Drizzle.write(folder, 1);
  const pool = poolOf(stage);
  await migrate(drizzle(pool), { migrationsFolder: folder }).catch(silent);
  return {
    ids: heartbeats({ migrations: { db: drizzle(pool), migrationsFolder: folder }, timeout }).ids,
    exhaust: () => Promise.allSettled(Array.from({ length: size }, () => pool.query(sleep))),
    async close() {
      await pool.end();
      rmSync(folder, { recursive: true });
    },
  };
}

/** In a process of its own: it needs a newer Node. */
async function mikro7({ port, database: name }: Stage): Promise<Opened> {
  const app = await start(`postgres://${username}:${password}@127.0.0.1:${port}/${name}`, tmpdir(), 'orm');
  return {
    ids: async () => Object.values(await app.beat()).flat(),
    exhaust: app.exhaust,
    close: app.close,
  };
}

/** Until it is connected or failed for the first time. */
const settled = (client: { once(event: string, listener: () => void): unknown }) =>
  new Promise<void>((resolve) => {
    client.once('ready', resolve);
    client.once('error', resolve);
  });

async function ioredis(stage: Stage): Promise<Opened> {
  const client = new Redis({
    host: '127.0.0.1',
    port: stage.port,
    username,
    password,
    ...tlsOf(stage),
    retryStrategy: () => 100,
  });
  client.on('error', silent);
  await settled(client);
  return key(client, () => client.disconnect());
}

async function ioredisSentinel({ port }: Stage): Promise<Opened> {
  const client = new Redis({
    sentinels: [{ host: '127.0.0.1', port }],
    name: 'main',
    username,
    password,
    sentinelRetryStrategy: () => 100,
    retryStrategy: () => 100,
  });
  client.on('error', silent);
  await settled(client);
  return key(client, () => client.disconnect());
}

async function ioredisCluster({ port }: Stage): Promise<Opened> {
  const client = new Cluster([{ host: '127.0.0.1', port }], {
    redisOptions: { username, password },
    clusterRetryStrategy: () => 100,
  });
  client.on('error', silent);
  await settled(client);
  return key(client, () => client.disconnect());
}

async function redis5(stage: Stage): Promise<Opened> {
  const { ca = '' } = stage;
  const socket = { host: '127.0.0.1', port: stage.port, tls: true, ca, servername: 'localhost' } as const;
  const client = createClient({ username, password, socket: { ...socket, reconnectStrategy: 100 } });
  client.on('error', silent);
  client.connect().catch(silent);
  await settled(client);
  return key(client, () => client.destroy());
}

/** As applications do that do not end when the first connection fails. */
const connecting = (connect: () => Promise<unknown>) =>
  Promise.race([connect().catch(silent), new Promise((resolve) => setTimeout(resolve, 2000))]);

async function redis5Sentinel({ port }: Stage): Promise<Opened> {
  const client = createSentinel({
    name: 'main',
    sentinelRootNodes: [{ host: '127.0.0.1', port }],
    nodeClientOptions: { username, password },
  });
  client.on('error', silent);
  await connecting(() => client.connect());
  return key(client, () => client.destroy());
}

async function redis5Cluster({ port }: Stage): Promise<Opened> {
  const client = createCluster({
    rootNodes: [{ socket: { host: '127.0.0.1', port } }],
    defaults: { username, password, socket: { reconnectStrategy: 100 } },
  });
  client.on('error', silent);
  await connecting(() => client.connect());
  return key(client, () => client.destroy());
}

const overTls = () => postgresStage({ tls: true });
const direct = () => postgresStage();
const row = (
  name: string,
  version: string,
  kind: SetUp['kind'],
  stage: SetUp['stage'],
  open: SetUp['open'],
): SetUp => ({ name, version, kind, stage, open });
const [pg, js, prisma, ior, red] = ['pg', 'postgres', '@prisma/client', 'ioredis', 'redis'].map(versionOf);

/** Every set-up, in the order of the table. */
export const setUps: readonly SetUp[] = [
  row('pg Pool over TLS', pg ?? '', 'database', overTls, pgPool),
  row('postgres.js over TLS', js ?? '', 'database', overTls, postgresJs),
  row('Prisma 7 over TLS', prisma ?? '', 'database', overTls, prisma7),
  row('Prisma 7', prisma ?? '', 'database', direct, prisma7),
  row('Prisma 6', prisma6Version, 'database', direct, prisma6),
  row('MikroORM 7', mikroVersion('@mikro-orm/core'), 'database', direct, mikro7),
  row('Drizzle migrations', versionOf('drizzle-orm'), 'migrations', direct, drizzleMigrations),
  row('pg Pool through PgBouncer', pg ?? '', 'database', bouncerStage, pgPool),
  row('postgres.js through PgBouncer', js ?? '', 'database', bouncerStage, postgresJs),
  row('Prisma 7 through PgBouncer', prisma ?? '', 'database', bouncerStage, prisma7),
  row('ioredis over TLS', ior ?? '', 'redis', tlsStage, ioredis),
  row('redis 5 over TLS', red ?? '', 'redis', tlsStage, redis5),
  row('ioredis, Sentinel', ior ?? '', 'redis', sentinelStage, ioredisSentinel),
  row('redis 5, Sentinel', red ?? '', 'redis', sentinelStage, redis5Sentinel),
  row('ioredis, Cluster', ior ?? '', 'cluster', clusterStage, ioredisCluster),
  row('redis 5, Cluster', red ?? '', 'cluster', clusterStage, redis5Cluster),
];
