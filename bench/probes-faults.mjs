// The faults of bench/probes.mjs, in the order of the table. `faulty` are the instances that have the trouble; none if all share it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export const asOwner = async (database, ...statements) => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
};
const cutSessions = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'";
const page = (body) =>
  `CREATE OR REPLACE FUNCTION page() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN (SELECT count(*) FROM orders); END $$`;

/** What the instances find in the database. */
export const prepare = async (database) => {
  await asOwner(
    database,
    "CREATE ROLE app LOGIN PASSWORD 'first'",
    'CREATE TABLE orders (id int)',
    'GRANT ALL ON orders TO app',
    page(''),
  );
  return 'app:first';
};

const everyone = (fleet, path) => Promise.all(fleet.instances.map(({ origin }) => fetch(origin + path)));

/** Clients that ask one path again and again, until `stop`. */
function clients(count, urls) {
  const stopping = new AbortController();
  const { signal } = stopping;
  for (const url of urls)
    for (let index = 0; index < count; index += 1)
      void (async () => {
        while (!signal.aborted)
          await fetch(url, { signal })
            .then((response) => response.text())
            .catch(() => sleep(50));
      })();
  return { stop: () => stopping.abort() };
}

/** A fault with one way in and one way out. */
const during = (lasting, begin, end, { perSecond, ...more } = {}) => ({
  play: async (fleet) => {
    let undo;
    return fleet.suffer(async () => (undo = await begin(fleet)), {
      lasting,
      perSecond,
      end: () => end?.(fleet, undo),
      limit: 300_000,
    });
  },
  ...more,
});
/** Leaks in all are measured at a constant rate: clients that wait for answers would hardly ask instances that have none. */
const constant = { perSecond: 50 };
const stop = (_fleet, running) => running.stop();
const tunnel = (index, what) => (fleet) => void what(fleet.tunnels[index]);
const mended = (index) => (fleet) => fleet.tunnels[index].mend();

/** Lets an instance run for a twentieth of the time. */
function starve(instance) {
  const send = (signal) => {
    try {
      process.kill(instance.pid, signal);
    } catch {
      // It is being restarted.
    }
  };
  const timer = setInterval(() => {
    send('SIGCONT');
    setTimeout(send, 10, 'SIGSTOP');
  }, 200);
  return {
    async stop() {
      clearInterval(timer);
      await sleep(50);
      send('SIGCONT');
    },
  };
}

async function flap(times, off, on) {
  for (let turn = 0; turn < times; turn += 1) {
    await off();
    await sleep(2500);
    await on();
    await sleep(2500);
  }
}

async function lock({ database }) {
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query('BEGIN');
  await owner.query('LOCK TABLE orders IN ACCESS EXCLUSIVE MODE');
  return { stop: () => owner.end() };
}

export const faults = {
  // What all instances share.
  'database killed, 8 s': during(
    8000,
    ({ database }) => database.kill(),
    ({ database }) => database.restart(),
  ),
  'database frozen, 20 s': during(
    20_000,
    ({ database }) => database.freeze(),
    ({ database }) => database.thaw(),
  ),
  'database restarted': during(3000, async ({ database }) => {
    await database.kill();
    await database.restart();
  }),
  'database killed and restarted four times, 20 s': during(0, ({ database }) =>
    flap(
      4,
      () => database.kill(),
      () => database.restart(),
    ),
  ),
  'password rotated, 8 s': during(
    8000,
    ({ database }) => asOwner(database, "ALTER ROLE app PASSWORD 'other'", cutSessions),
    ({ database }) => asOwner(database, "ALTER ROLE app PASSWORD 'first'"),
  ),
  'connection limit at half, 20 s': during(
    20_000,
    ({ database }) => asOwner(database, 'ALTER ROLE app CONNECTION LIMIT 6', cutSessions),
    ({ database }) => asOwner(database, 'ALTER ROLE app CONNECTION LIMIT -1'),
  ),
  'DNS gone in all, connections cut, 10 s': during(
    10_000,
    async (fleet) => {
      await everyone(fleet, '/dns-gone');
      await asOwner(fleet.database, cutSessions);
    },
    (fleet) => everyone(fleet, '/dns-back'),
  ),
  'Redis fails over, 8 s': during(
    8000,
    ({ redis }) => redis.killPrimary(),
    ({ redis }) => redis.promoteReplica(),
  ),
  'a table locked, 30 s': during(30_000, lock, stop),
  'slow queries everywhere, 30 s': during(
    30_000,
    ({ database }) => asOwner(database, page('PERFORM pg_sleep(2);')),
    ({ database }) => asOwner(database, page('')),
  ),
  'twelve clients on a slow route of each, 30 s': during(
    30_000,
    ({ instances }) =>
      clients(
        12,
        instances.map(({ origin }) => `${origin}/slow`),
      ),
    stop,
  ),
  'twelve clients on a route of each that holds connections, 40 s': during(
    40_000,
    ({ instances }) =>
      clients(
        12,
        instances.map(({ origin }) => `${origin}/hold`),
      ),
    stop,
  ),
  'all pooled connections dead after a blip': during(1000, ({ tunnels }) => {
    for (const each of tunnels) each.blackhole();
  }),
  'all pools leaked': during(1000, (fleet) => everyone(fleet, '/leak'), undefined, constant),
  'a release that leaks in every instance, 150 s': during(
    150_000,
    ({ instances }) => Promise.all(instances.map((instance) => instance.replace({ LEAKS_EVERY: '200' }))),
    ({ instances }) => Promise.all(instances.map((instance) => instance.replace())),
    constant,
  ),
  'a release that leaks in every instance while some requests come, 60 s, no other deploy': during(
    60_000,
    async (fleet) => {
      const folder = mkdtempSync(join(tmpdir(), 'lifesign-leak-'));
      const file = join(folder, 'leaks');
      await fleet.deploy({ LEAKS_EVERY: '50', LEAKS_WHILE: file });
      writeFileSync(file, '');
      return { stop: () => rmSync(folder, { recursive: true }) };
    },
    stop,
    constant,
  ),
  'all restarted while the database is down, 15 s': during(
    15_000,
    async ({ database, instances }) => {
      await database.kill();
      await Promise.all(instances.map((instance) => instance.replace()));
    },
    ({ database }) => database.restart(),
  ),
  'rolling deploy': during(1000, (fleet) => fleet.deploy()),

  // What some instances have alone.
  'network path of one cut, 25 s': during(
    25_000,
    tunnel(1, (way) => way.cut()),
    mended(1),
    { faulty: [1] },
  ),
  'network path of one drops everything, 25 s': during(
    25_000,
    tunnel(1, (way) => way.drop()),
    mended(1),
    { faulty: [1] },
  ),
  'network path of one slow, 25 s': during(
    25_000,
    tunnel(1, (way) => way.delay(3000)),
    mended(1),
    { faulty: [1] },
  ),
  'network path of one cut and restored four times, 20 s': during(
    0,
    (fleet) =>
      flap(
        4,
        () => fleet.tunnels[1].cut(),
        () => fleet.tunnels[1].mend(),
      ),
    mended(1),
    { faulty: [1] },
  ),
  'path of one to Redis cut, 25 s': during(
    25_000,
    ({ redisTunnels }) => redisTunnels[1].cut(),
    ({ redisTunnels }) => redisTunnels[1].mend(),
    { faulty: [1] },
  ),
  'DNS gone in one, its connections cut, 25 s': during(
    25_000,
    async ({ instances, tunnels }) => {
      await fetch(`${instances[1].origin}/dns-gone`);
      tunnels[1].cut();
      tunnels[1].mend();
    },
    ({ instances }) => fetch(`${instances[1].origin}/dns-back`),
    { faulty: [1] },
  ),
  'two of four read from a slow replica, 25 s': during(
    25_000,
    ({ tunnels }) => {
      for (const index of [2, 3]) tunnels[index].delay(3000);
    },
    ({ tunnels }) => {
      for (const index of [2, 3]) tunnels[index].mend();
    },
    { faulty: [2, 3] },
  ),
  'pooled connections of one dead': during(
    1000,
    tunnel(1, (way) => way.blackhole()),
    undefined,
    { faulty: [1] },
  ),
  'pool of one leaked': during(1000, ({ instances }) => fetch(`${instances[2].origin}/leak`), undefined, {
    faulty: [2],
  }),
  'event loop of one blocked, 6 s': during(
    6000,
    ({ instances }) => fetch(`${instances[3].origin}/block`),
    undefined,
    { faulty: [3] },
  ),
  'one has 5 % of a core, 25 s': during(25_000, ({ instances }) => starve(instances[3]), stop, {
    faulty: [3],
  }),
  'wrong password in a new instance, 15 s': during(
    15_000,
    ({ instances }) => instances[0].replace({ DATABASE_URL: 'postgres://app:wrong@127.0.0.1:5432/postgres' }),
    ({ instances }) => instances[0].replace(),
    { faulty: [0] },
  ),
  'one starts slowly, 20 s': during(
    20_000,
    ({ instances }) => instances[0].replace({ SLOW_START: '20000' }),
    undefined,
    { faulty: [0] },
  ),
};
