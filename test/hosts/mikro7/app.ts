// Run by a Node that MikroORM 7 takes: an application with MikroORM 7 and one with the Kysely below it.
// Arguments: the address of the database, the folder of the migrations.
import { createServer } from 'node:http';
import { Migrator } from '@mikro-orm/migrations';
import { EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { Health } from '../../../src/frameworks/node.js';

const [, , clientUrl = '', path = ''] = process.argv;
const orm = await MikroORM.init({
  clientUrl,
  entities: [new EntitySchema({ name: 'Thing', properties: { id: { type: 'number', primary: true } } })],
  extensions: [Migrator],
  pool: { min: 0, max: 10 },
  logger: () => {},
  migrations: { path, glob: '*.js', snapshot: false, silent: true },
});
const pool = new Pool({ connectionString: clientUrl });
pool.on('error', () => {});
pool.on('connect', (client) => client.on('error', () => {}));
const kysely = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });

const server = createServer((req, res) => {
  if (req.url === '/apply') void orm.migrator.up().then(() => res.end());
  else res.end();
});
const logger = { log: () => {} };
const settings = { logger, timeout: 500, versionPath: path };
new Health(server, { ...settings, db: { orm, kysely }, migrations: orm });
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : '');
});
