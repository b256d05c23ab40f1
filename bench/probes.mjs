// npm run test:probes [-- lifesign terminus … 'redis' 'leaked' …]: four instances behind HAProxy in trouble, wired in four ways.
// Writes what it measures into the table of docs/probes.md; what it does not measure stays there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Fleet } from '../test/faults/fleet/fleet.ts';
import { install } from '../test/services/install.ts';
import { services } from '../test/services/list.ts';
import { tableIn, writeTables } from './scale/page.ts';
import { table } from './scale/tables.ts';

const page = join(import.meta.dirname, '../docs/probes.md');
const subject = (name) => [join(import.meta.dirname, 'probes-subject.mjs'), name];
const wirings = {
  lifesign: {
    name: 'lifesign, the probes',
    ready: '/readyz',
    live: '/livez',
    started: '/startupz',
    watched: true,
  },
  heartbeat: { name: 'readiness on the heartbeat', ready: '/__heartbeat__', live: '/__lbheartbeat__' },
  terminus: { name: '@godaddy/terminus', ready: '/health', live: '/health' },
  nest: { name: '@nestjs/terminus', ready: '/health', live: '/health' },
};

const asOwner = async (database, ...statements) => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
};
const cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'";

const scenarios = {
  'database killed, 8 s': {
    play: (fleet) =>
      fleet.suffer(
        () => fleet.database.kill(),
        8000,
        () => fleet.database.restart(),
      ),
  },
  'database frozen, 8 s': {
    play: (fleet) =>
      fleet.suffer(
        () => fleet.database.freeze(),
        8000,
        () => fleet.database.thaw(),
      ),
  },
  'database restarted': {
    play: (fleet) =>
      fleet.suffer(async () => {
        await fleet.database.kill();
        await fleet.database.restart();
      }, 3000),
  },
  'password rotated, 8 s': {
    play: (fleet) =>
      fleet.suffer(
        () => asOwner(fleet.database, "ALTER ROLE app PASSWORD 'other'", cut),
        8000,
        () => asOwner(fleet.database, "ALTER ROLE app PASSWORD 'first'"),
      ),
  },
  'Redis fails over, 8 s': {
    redis: true,
    play: (fleet) =>
      fleet.suffer(
        () => fleet.redis.killPrimary(),
        8000,
        () => fleet.redis.promoteReplica(),
      ),
  },
  'pool of one instance wedged': {
    sick: 1,
    play: (fleet) => fleet.suffer(() => fleet.tunnels[1].blackhole(), 1000),
  },
  'pool of one instance leaked': {
    sick: 2,
    play: (fleet) => fleet.suffer(() => fetch(`${fleet.instances[2].origin}/leak`), 1000),
  },
  'event loop of one instance blocked, 6 s': {
    sick: 3,
    play: (fleet) => fleet.suffer(() => fetch(`${fleet.instances[3].origin}/block`), 6000),
  },
  'one instance starts slowly, 20 s': {
    sick: 0,
    play: (fleet) => fleet.suffer(() => fleet.instances[0].replace({ SLOW_START: '20000' }), 20_000),
  },
  'rolling deploy': {
    play: (fleet) => fleet.suffer(() => fleet.deploy(), 1000),
  },
};

const columns = ['fault', 'setup', 'fewest in rotation', 'restarted', 'failed requests', 'recovered after'];
/** The rows of the page by fault and setup. */
const rows = new Map(
  (tableIn(readFileSync(page, 'utf8'), 'proof') ?? '')
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
    .map((cells) => [cells.slice(0, 2).join(), cells]),
);

function note(title, wiring, sick, { fewest, evicted, causes, restarted, failed, answered, recovery }) {
  const isOnlySick = (list) => sick !== undefined && list.join() === String(sick);
  const cells = [
    title,
    wiring.name,
    `${fewest}${isOnlySick(evicted) ? ', without the sick one' : ''}`,
    `${restarted.length}${isOnlySick(restarted) ? ', the sick one' : ''}`,
    `${failed} of ${failed + answered}`,
    recovery === undefined ? 'not within 60 s' : `${(recovery / 1000).toFixed(1)} s`,
  ];
  console.log(`| ${cells.join(' | ')} | out: ${causes.join(', ')}`);
  rows.set(cells.slice(0, 2).join(), cells);
  const ordered = Object.keys(scenarios).flatMap((each) =>
    Object.values(wirings).flatMap(({ name }) => {
      const row = rows.get([each, name].join());
      return row === undefined ? [] : [row];
    }),
  );
  writeTables({ proof: table(columns, ordered) }, page);
}

await install([services.postgres, services.redis, services.haproxy]);
const chosen = process.argv.slice(2);
const chosenWirings = chosen.filter((name) => Object.hasOwn(wirings, name));
const words = chosen.filter((name) => !Object.hasOwn(wirings, name));
for (const [title, { play, sick, redis = false }] of Object.entries(scenarios)) {
  if (words.length > 0 && !words.some((word) => title.includes(word))) continue;
  for (const [key, wiring] of Object.entries(wirings)) {
    if (chosenWirings.length > 0 && !chosenWirings.includes(key)) continue;
    const fleet = await Fleet.start(
      { ...wiring, args: subject(key) },
      {
        redis,
        // A loop that is blocked for longer is out of rotation.
        checkTimeout: '2s',
        prepare: async (database) => {
          await asOwner(database, "CREATE ROLE app LOGIN PASSWORD 'first'");
          return 'app:first';
        },
      },
    );
    try {
      note(title, wiring, sick, await play(fleet));
    } catch (error) {
      console.error(`${title}, ${wiring.name}:`, error);
    } finally {
      await fleet.stop();
    }
    await sleep(500);
  }
}
process.exit(0);
