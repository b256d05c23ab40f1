// Run by a Node that MikroORM 7 takes: an application with MikroORM 7 and one with the Kysely below it.
// Arguments: the built package, the address of the database, the folder of the migrations; a fourth one has only MikroORM checked, with a pool of three.
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { Migrator } from '@mikro-orm/migrations';
import { EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import type * as node from 'lifesign/node';

const [, , built = '', clientUrl = '', path = '', isOnlyOrm] = process.argv;
const { Health }: typeof node = await import(pathToFileURL(`${built}/dist/frameworks/node.js`).href);
const orm = await MikroORM.init({
  clientUrl,
  entities: [new EntitySchema({ name: 'Thing', properties: { id: { type: 'number', primary: true } } })],
  extensions: [Migrator],
  pool: { min: 0, max: isOnlyOrm === undefined ? 10 : 3 },
  logger: () => {},
  migrations: { path, glob: '*.js', snapshot: false, silent: true },
});
const pool = new Pool({ connectionString: clientUrl });
pool.on('error', () => {});
pool.on('connect', (client) => client.on('error', () => {}));
const kysely = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });

/** Takes every connection of the pool. */
const exhaust = () =>
  Promise.allSettled(
    Array.from({ length: 3 }, () => orm.em.fork().getConnection().execute('SELECT pg_sleep(10)')),
  );

const server = createServer((req, res) => {
  if (req.url === '/apply') void orm.migrator.up().then(() => res.end());
  else if (req.url === '/exhaust') void exhaust().finally(() => res.end());
  else res.end();
});
const logger = { log: () => {} };
const settings = { logger, timeout: 500, versionPath: path };
if (isOnlyOrm === undefined) new Health(server, { ...settings, db: { orm, kysely }, migrations: orm });
else new Health(server, { ...settings, timeout: 3000, db: orm });
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : '');
});
