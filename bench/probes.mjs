// npm run test:probes [lifesign terminus …]: four instances behind HAProxy in trouble, wired in four ways. Prints the table of docs/probes.md.
import { join } from 'node:path';
import pg from 'pg';
import { Fleet } from '../test/faults/fleet/fleet.ts';
import { install } from '../test/services/install.ts';
import { services } from '../test/services/list.ts';

const subject = (name) => [join(import.meta.dirname, 'probes-subject.mjs'), name];
const wirings = {
  lifesign: { name: 'lifesign, the probes', ready: '/readyz', live: '/livez', watched: true },
  heartbeat: {
    name: 'lifesign, readiness on the heartbeat',
    ready: '/__heartbeat__',
    live: '/__lbheartbeat__',
  },
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
  'database killed, 8 s': (fleet) =>
    fleet.suffer(
      () => fleet.database.kill(),
      8000,
      () => fleet.database.restart(),
    ),
  'database frozen, 8 s': (fleet) =>
    fleet.suffer(
      () => fleet.database.freeze(),
      8000,
      () => fleet.database.thaw(),
    ),
  'database restarted': (fleet) =>
    fleet.suffer(async () => {
      await fleet.database.kill();
      await fleet.database.restart();
    }, 3000),
  'password rotated, 8 s': (fleet) =>
    fleet.suffer(
      () => asOwner(fleet.database, "ALTER ROLE app PASSWORD 'other'", cut),
      8000,
      () => asOwner(fleet.database, "ALTER ROLE app PASSWORD 'first'"),
    ),
  'pool of one instance wedged': (fleet) => fleet.suffer(() => fleet.tunnels[1].blackhole(), 1000),
  'pool of one instance leaked': (fleet) =>
    fleet.suffer(() => fetch(`${fleet.instances[2].origin}/leak`), 1000),
  'event loop of one instance blocked, 6 s': (fleet) =>
    fleet.suffer(() => fetch(`${fleet.instances[3].origin}/block`), 6000),
};

await install([services.postgres, services.haproxy]);
const chosen = process.argv.slice(2);
console.log(
  '| | wired by | fewest in rotation | taken out | told to restart | requests failed | until all is well |',
);
console.log('|---|---|---|---|---|---|---|');
for (const [title, play] of Object.entries(scenarios)) {
  for (const [key, wiring] of Object.entries(wirings)) {
    if (chosen.length > 0 && !chosen.includes(key)) continue;
    const fleet = await Fleet.start({ ...wiring, args: subject(key) }, async (database) => {
      await asOwner(database, "CREATE ROLE app LOGIN PASSWORD 'first'");
      return 'app:first';
    });
    try {
      const { fewest, evicted, restarted, failed, answered, recovery } = await play(fleet);
      const cells = [
        title,
        wiring.name,
        `${fewest} of 4`,
        evicted.length,
        restarted.length,
        `${failed} of ${failed + answered}`,
        `${(recovery / 1000).toFixed(1)} s`,
      ];
      console.log(`| ${cells.join(' | ')} |`);
    } catch (error) {
      console.log(`| ${title} | ${wiring.name} | ${error.message} | | | | |`);
    } finally {
      await fleet.stop();
    }
  }
}
process.exit(0);
