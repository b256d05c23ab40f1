// Whether the newest major of every supported client is in the tables of contributing/clients.md, which tests hold against what they
// exercise. Asks the registry: run by hand, `npm run test:newest`.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = new URL('../', import.meta.url);
const read = (path) => readFile(new URL(path, root), 'utf8');

/** Package: how its rows in the tables begin. */
const clients = {
  pg: 'pg Pool',
  postgres: 'postgres (postgres.js)',
  knex: 'Knex',
  kysely: 'Kysely',
  'drizzle-orm': 'Drizzle',
  typeorm: 'TypeORM',
  sequelize: 'Sequelize on',
  '@prisma/client': 'Prisma',
  '@mikro-orm/core': 'MikroORM',
  '@adonisjs/lucid': 'Lucid',
  '@adonisjs/redis': '@adonisjs/redis',
  mysql2: 'mysql2',
  mariadb: 'mariadb',
  'better-sqlite3': 'better-sqlite3',
  ioredis: 'ioredis',
  iovalkey: 'iovalkey',
  redis: 'redis',
  '@valkey/valkey-glide': 'valkey-glide',
  umzug: 'Sequelize with Umzug',
  'node-pg-migrate': 'node-pg-migrate',
};

/** Majors that are known and cannot be exercised here, with the reason. */
const known = {
  'better-sqlite3 13': 'crashes on Node 20',
};

/** Before 1.0 the second number is the major. */
const majorOf = (version) => version.replace(/^(0\.\d+|\d+).*$/, '$1');

const page = await read('contributing/clients.md');
const rows = [...page.matchAll(/^\| ([^|]+?) +\| (\d[^|]*?) +\|/gm)].map(([, client, version]) => ({
  client,
  version,
}));
let missing = 0;
for (const [name, prefix] of Object.entries(clients)) {
  const { stdout } = await run('npm', ['view', name, 'version', '--silent']);
  const newest = stdout.trim();
  const major = majorOf(newest);
  const tested = rows
    .filter(({ client }) => client.startsWith(prefix))
    .map(({ version }) => majorOf(version));
  if (tested.includes(major)) continue;
  const reason = known[`${name} ${major}`];
  if (reason === undefined) missing += 1;
  console.log(
    `${reason === undefined ? 'MISSING' : 'known'} ${name} ${newest}: the tables have ${[...new Set(tested)].join(', ') || 'none'}${reason === undefined ? '' : ` (${reason})`}`,
  );
}
console.log(
  missing === 0
    ? 'The newest major of every client is in contributing/clients.md.'
    : `${missing} clients have a newer major than contributing/clients.md.`,
);
process.exitCode = missing === 0 ? 0 : 1;
