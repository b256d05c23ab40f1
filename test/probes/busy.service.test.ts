import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createConnection } from 'mysql2/promise';
import { createPool } from 'mysql2';
import { Client, Pool } from 'pg';
import { expect, it, vi } from 'vitest';
import { Health } from 'lifesign/node';
import { pause } from '../core/waiting.js';
import { canStart, startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';

const max = 3;

/** Milliseconds instead of a minute. */
const leakedAfter = 4000;
vi.mock('../../src/checks/pools/pool.js', async (load) => ({
  ...(await load<object>()),
  leakedAfter: 4000,
}));

/** A client with a pool of three. */
interface Busy {
  readonly client: object;
  query(sql: string): PromiseLike<unknown>;
  /** Takes a connection, and gives what gives it back. */
  take(): PromiseLike<() => unknown>;
  close(): unknown;
}

const postgres: Readonly<Record<string, (url: string) => Busy>> = {
  pg(url) {
    const pool = new Pool({ connectionString: url, max });
    pool.on('error', () => {});
    const take = async () => {
      const taken = (await pool.connect()).on('error', () => {});
      return () => taken.release();
    };
    return { client: pool, query: (sql) => pool.query(sql), take, close: () => pool.end() };
  },
};

const releaseOf = (taken: { release(): unknown }) => () => taken.release();

const mysql: Readonly<Record<string, (url: string) => Busy>> = {
  mysql2(url) {
    const pool = createPool({ uri: url, connectionLimit: max });
    return {
      client: pool,
      query: (sql) => pool.promise().query(sql),
      take: async () => releaseOf(await pool.promise().getConnection()),
      close: () => pool.promise().end(),
    };
  },
};

/** An instance with a route that asks the database, and one that holds a connection while it waits for something else. */
async function instance({ client, query, take, close }: Busy, table: string) {
  const held: (() => void)[] = [];
  const hold = async () => {
    const giveBack = await take();
    await new Promise<void>((resolve) => void held.push(resolve));
    await giveBack();
  };
  const server = createServer((request, response) => {
    const asked = request.url === '/hold' ? hold() : query(`SELECT count(*) FROM ${table}`);
    asked.then(
      () => response.end('ok'),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  const health = new Health(server, {
    db: client as Pool,
    timeout: 400,
    logger: false,
    probes: { probeEvery: 100, secondOpinionEvery: 300, restartAfter: 500 },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get = async (path: string) => {
    const response = await fetch(origin + path, { headers: { connection: 'close' } });
    return { status: response.status, body: await response.text() };
  };
  const codes = async () => [(await get('/readyz')).status, (await get('/livez')).status];
  const stop = async () => {
    health.close();
    server.closeAllConnections();
    server.close();
    // A pool with a leak never ends.
    await Promise.race([close(), pause(200)]);
  };
  /** Clients on the route that holds a connection; every second one leaves at once. */
  const holdAll = () => {
    for (let index = 0; index < max * 2; index += 1) {
      const leaving = new AbortController();
      fetch(`${origin}/hold`, { signal: leaving.signal }).catch(() => {});
      if (index % 2 === 0) setTimeout(() => leaving.abort(), 500);
    }
  };
  const giveBackAll = async () => {
    while (held.length > 0) {
      for (const giveBack of held.splice(0)) giveBack();
      await pause(200);
    }
  };
  return { get, codes, stop, holdAll, giveBackAll };
}

/** A lock, then a leak: what the probes say meanwhile. */
async function suffer(busy: Busy, table: string, withLock: (during: () => Promise<void>) => Promise<void>) {
  const { get, codes, stop, holdAll, giveBackAll } = await instance(busy, table);
  try {
    await expect.poll(codes, { timeout: 10_000 }).toEqual([200, 200]);
    await get('/');
    const clients: Promise<unknown>[] = [];
    await withLock(async () => {
      for (let index = 0; index < 12; index += 1) clients.push(get('/').catch(() => {}));
      const verbose = async () => (await get('/readyz?verbose')).body;
      const seen = new Set<string>();
      const look = async () => {
        seen.add((await codes()).join());
        return verbose();
      };
      await expect
        .poll(look, { timeout: 20_000 })
        .toMatch(/3 of 3 are running queries, 3 of them wait for a lock/);
      for (let turn = 0; turn < 15; turn += 1) {
        await pause(100);
        expect(await look()).not.toContain(table);
      }
      expect([...seen]).toEqual(['200,200']);
    });
    await Promise.all(clients);
    await expect.poll(codes).toEqual([200, 200]);
    holdAll();
    const verbose = async () => (await get('/readyz?verbose')).body;
    await expect
      .poll(verbose, { timeout: 20_000 })
      .toMatch(/requests may hold the 3 connections, which run no query/);
    for (const end = performance.now() + 2 * leakedAfter; performance.now() < end; await pause(200)) {
      expect(await codes(), await verbose()).toEqual([200, 200]);
    }
    await giveBackAll();
    await expect.poll(verbose, { timeout: 10_000 }).toContain('check_database_connected ok');
    await Promise.all(Array.from({ length: max }, () => busy.take()));
    await expect.poll(codes, { timeout: 40_000, interval: 100 }).toEqual([503, 503]);
    expect((await get('/readyz')).body).toContain(
      'leaked or dead: 3 of 3 run no query; a fresh connection works',
    );
  } finally {
    await stop();
  }
}

interface Owners {
  readonly service: 'postgres' | 'mariadb';
  readonly clients: Readonly<Record<string, (url: string) => Busy>>;
  connect(url: string): Promise<{ query(sql: string): Promise<unknown>; end(): Promise<unknown> }>;
  lock(table: string): readonly string[];
  readonly unlock: string;
}

const servers: readonly Owners[] = [
  {
    service: 'postgres',
    clients: postgres,
    async connect(url) {
      const owner = new Client(url);
      await owner.connect();
      return { query: (sql) => owner.query(sql), end: () => owner.end() };
    },
    lock: (table) => ['BEGIN', `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`],
    unlock: 'ROLLBACK',
  },
  {
    service: 'mariadb',
    clients: mysql,
    async connect(url) {
      const owner = await createConnection(url);
      return { query: (sql) => owner.query(sql), end: () => owner.end() };
    },
    lock: (table) => [`LOCK TABLES ${table} WRITE`],
    unlock: 'UNLOCK TABLES',
  },
];

/** Each client has a table of its own: all of them suffer at once, most of the time waiting. */
async function exercise({ clients, connect, lock, unlock }: Owners, { url }: RunningService): Promise<void> {
  const each = async ([name, open]: readonly [string, (url: string) => Busy]) => {
    const { query, end } = await connect(url);
    await query(`CREATE TABLE locked_${name} (id int)`);
    await suffer(open(url), `locked_${name}`, async (during) => {
      for (const sql of lock(`locked_${name}`)) await query(sql);
      await during();
      await query(unlock);
    });
    await end();
  };
  await Promise.all(Object.entries(clients).map(each));
}

it.skipIf(!canStart('postgres') || !canStart('mariadb'))(
  'a lock, clients on a slow route and connections that requests hold take nobody out; a leak does',
  async () => {
    const each = async (owners: Owners) => {
      const server = await startService(owners.service);
      try {
        await exercise(owners, server);
      } finally {
        await server.stop();
      }
    };
    await Promise.all(servers.map(each));
  },
  120_000,
);
