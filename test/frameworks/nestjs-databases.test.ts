import { tmpdir } from 'node:os';
import type { Provider } from '@nestjs/common';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import knex from 'knex';
import { Sequelize } from 'sequelize';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { afterEach, expect, test } from 'vitest';
import { resultsOf, start } from './nest-app.js';

const leftovers: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of leftovers.splice(0).toReversed()) await clean();
});

/** What the default checks say of a container that has these providers. */
const resultsWith = async (...providers: Provider[]) =>
  resultsOf(await start({ HEALTH_CHECKS: undefined }, { providers }));

const knexOn = (migrations?: object): Provider => {
  const connection = { filename: ':memory:' };
  const client = knex({
    client: 'better-sqlite3',
    connection,
    useNullAsDefault: true,
    ...(migrations && { migrations }),
  });
  leftovers.push(() => client.destroy());
  return { provide: 'KNEX', useValue: client };
};

const found: readonly [string, () => Promise<Provider> | Provider, string, string][] = [
  [
    'TypeORM’s DataSource, by its class',
    async () => {
      const source = new DataSource({ type: 'better-sqlite3', database: ':memory:', migrations: [] });
      leftovers.push(() => source.destroy());
      return { provide: DataSource, useValue: await source.initialize() };
    },
    'ok',
    'ok',
  ],
  ['Knex, by any token', () => knexOn({ directory: tmpdir(), loadExtensions: ['.nothing'] }), 'ok', 'ok'],
  [
    'Sequelize, whose server is down',
    () => {
      const client = new Sequelize('postgres://127.0.0.1:1/shop', { logging: false });
      leftovers.push(() => client.close());
      return { provide: Sequelize, useValue: client };
    },
    'health.E001',
    'health.I001',
  ],
];

test.each(found)('%s', async (_, make, database, migrations) => {
  expect(await resultsWith(await make())).toEqual({
    check_database_connected: database,
    check_migrations_applied: migrations,
  });
});

test('a pool and what stands on it are one dependency, by the name of the pool', async () => {
  const pool = new Pool({ host: '127.0.0.1', port: 1 });
  const over = { provide: 'DRIZZLE', useValue: drizzlePg(pool) };
  const below = { provide: 'POOL', useValue: pool };
  for (const providers of [
    [over, below],
    [below, over],
  ]) {
    const results = await resultsWith(...providers);
    expect(Object.keys(results).filter((name) => name.startsWith('check_database'))).toEqual([
      'check_database_connected',
    ]);
  }
  const other = { provide: 'OTHER', useValue: new Pool({ host: '127.0.0.1', port: 1 }) };
  expect(Object.keys(await resultsWith(over, below, other))).toEqual(
    expect.arrayContaining(['check_database_connected_POOL', 'check_database_connected_OTHER']),
  );
});

test('a Knex without the default folder of migrations has none; another folder that is missing is refused', async () => {
  expect(await resultsWith(knexOn())).toMatchObject({ check_migrations_applied: 'health.I001' });
  await expect(resultsWith(knexOn({ directory: './migratoins' }))).rejects.toMatchObject({
    code: 'LIFESIGN_OPTION_INVALID',
  });
});
