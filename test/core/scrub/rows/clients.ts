import { EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import { PrismaPg } from '@prisma/adapter-pg';
import { createClient } from '@libsql/client';
import { sql as fragment } from 'drizzle-orm';
import { drizzle as drizzleLibsql } from 'drizzle-orm/libsql';
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import knexOf from 'knex';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { createPool as mariadbPool } from 'mariadb';
import { createPool } from 'mysql2/promise';
import { Pool } from 'pg';
import postgresJs from 'postgres';
import { Sequelize } from 'sequelize';
import { DataSource } from 'typeorm';
import { generatePrisma7 } from '../../../hosts/prisma.js';

/** A client that sends a statement whose placeholders are `?`, in the way its users do. */
export interface Sender {
  readonly name: string;
  send(statement: string, values: readonly unknown[]): Promise<unknown>;
  close(): unknown;
}

/** `?` as PostgreSQL wants it. */
const numbered = (statement: string): string => {
  let count = 0;
  return statement.replaceAll('?', () => `$${(count += 1)}`);
};

/** A statement of Drizzle with bound values. */
const drizzled = (statement: string, values: readonly unknown[]) => {
  const parts = statement.split('?').map((part) => fragment.raw(part));
  return fragment.join(
    parts.flatMap((part, index) => (index === 0 ? [part] : [fragment`${values[index - 1]}`, part])),
  );
};

export function postgresSenders(url: string): Sender[] {
  const pool = new Pool({ connectionString: url, max: 2 });
  pool.on('error', () => {});
  const postgres = postgresJs(url, { max: 1, onnotice: () => {} });
  const knex = knexOf({ client: 'pg', connection: url, pool: { min: 0, max: 2 } });
  const sequelize = new Sequelize(url, { logging: false, dialect: 'postgres' });
  const source = new DataSource({ type: 'postgres', url });
  const opened = source.initialize();
  const drizzle = drizzlePg(pool);
  const kysely = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const mikro = MikroORM.initSync({
    clientUrl: url,
    dbName: 'postgres',
    entities: [new EntitySchema({ name: 'Nothing', properties: { id: { type: 'number', primary: true } } })],
    logger: () => {},
  });
  return [
    { name: 'pg', send: (text, values) => pool.query(numbered(text), [...values]), close: () => pool.end() },
    {
      name: 'postgres',
      send: (text, values) => postgres.unsafe(numbered(text), values as never[]),
      close: () => postgres.end(),
    },
    {
      name: 'Knex',
      send: async (text, values) => knex.raw(text, values as string[]),
      close: () => knex.destroy(),
    },
    {
      name: 'Sequelize, replacements',
      send: (text, values) => sequelize.query(text, { replacements: [...values] }),
      close: () => sequelize.close(),
    },
    {
      name: 'Sequelize, bound',
      send: (text, values) => sequelize.query(numbered(text), { bind: [...values] }),
      close: () => {},
    },
    {
      name: 'TypeORM',
      send: async (text, values) => (await opened).query(numbered(text), [...values]),
      close: () => source.destroy(),
    },
    { name: 'Drizzle', send: (text, values) => drizzle.execute(drizzled(text, values)), close: () => {} },
    {
      name: 'Kysely',
      send: (text, values) => kysely.executeQuery(CompiledQuery.raw(numbered(text), [...values])),
      close: () => {},
    },
    {
      name: 'MikroORM',
      send: (text, values) => mikro.em.getConnection().execute(text, [...values]),
      close: () => mikro.close(true),
    },
    ...prismaSenders(url),
  ];
}

function prismaSenders(url: string): Sender[] {
  const Prisma = generatePrisma7('postgresql');
  const prisma = new Prisma({ adapter: new PrismaPg({ connectionString: url }) });
  const raw: (statement: string, ...values: readonly unknown[]) => Promise<unknown> =
    prisma.$executeRawUnsafe.bind(prisma);
  return [
    {
      name: 'Prisma',
      send: (text, values) => raw(numbered(text), ...values),
      close: () => prisma.$disconnect(),
    },
    {
      name: 'Prisma, wrong arguments',
      send: (_text, values) =>
        Reflect.get(prisma, 'thing').create({ data: { id: values[0], other: values } }),
      close: () => {},
    },
  ];
}

export function mysqlSenders(url: string): Sender[] {
  const pool = createPool({ uri: url, connectionLimit: 2 });
  const mariadb = mariadbPool(`${url.replace('mysql:', 'mariadb:')}?connectionLimit=2`);
  const knex = knexOf({ client: 'mysql2', connection: url, pool: { min: 0, max: 2 } });
  const sequelize = new Sequelize(url, { logging: false, dialect: 'mysql' });
  const source = new DataSource({ type: 'mysql', url });
  const opened = source.initialize();
  const drizzle = drizzleMysql(pool);
  return [
    { name: 'mysql2', send: (text, values) => pool.query(text, [...values]), close: () => pool.end() },
    {
      name: 'mysql2, prepared',
      send: (text, values) => pool.execute(text, values as string[]),
      close: () => {},
    },
    { name: 'mariadb', send: (text, values) => mariadb.query(text, [...values]), close: () => mariadb.end() },
    {
      name: 'Knex',
      send: async (text, values) => knex.raw(text, values as string[]),
      close: () => knex.destroy(),
    },
    {
      name: 'Sequelize',
      send: (text, values) => sequelize.query(text, { replacements: [...values] }),
      close: () => sequelize.close(),
    },
    {
      name: 'TypeORM',
      send: async (text, values) => (await opened).query(text, [...values]),
      close: () => source.destroy(),
    },
    { name: 'Drizzle', send: (text, values) => drizzle.execute(drizzled(text, values)), close: () => {} },
  ];
}

export function sqliteSenders(): Sender[] {
  const client = createClient({ url: ':memory:' });
  const drizzle = drizzleLibsql(client);
  return [
    {
      name: 'libsql',
      send: (text, values) => client.execute({ sql: text, args: values as string[] }),
      close: () => client.close(),
    },
    { name: 'Drizzle', send: (text, values) => drizzle.run(drizzled(text, values)), close: () => {} },
  ];
}
