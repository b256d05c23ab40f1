// Libraries that speak to both kinds of servers.
import knexOf from 'knex';
import { CompiledQuery, type Dialect, Kysely } from 'kysely';
import { type Options, Sequelize } from 'sequelize';
import type { DataSource } from 'typeorm';
import { type Exercised, poolSize, type Target } from './client.js';

export function knexOn(driver: 'pg' | 'mysql2'): Exercised {
  return {
    name: `Knex on ${driver}`,
    package: 'knex',
    open(target) {
      const knex = knexOf({
        client: driver,
        connection: { ...target },
        pool: { min: 0, max: poolSize },
        log: { warn: () => {} },
      });
      return {
        client: knex,
        slots: () => knex.client.pool.numUsed(),
        query: async (sql) => knex.raw(sql),
        close: () => knex.destroy(),
      };
    },
  };
}

/** Kysely, with the pool of a dialect and how many of its slots are taken. */
export function kyselyOn(
  driver: string,
  open: (target: Target) => { readonly dialect: Dialect; readonly slots: () => number },
): Exercised {
  return {
    name: `Kysely on ${driver}`,
    package: 'kysely',
    holds: true,
    open(target) {
      const { dialect, slots } = open(target);
      const db = new Kysely<Record<string, never>>({ dialect });
      return {
        client: db,
        slots,
        query: (sql) => db.executeQuery(CompiledQuery.raw(sql)),
        close: () => db.destroy(),
      };
    },
  };
}

export function typeormOn(
  driver: string,
  make: (target: Target) => DataSource,
  slots: (driver: object) => number,
): Exercised {
  return {
    name: `TypeORM on ${driver}`,
    package: 'typeorm',
    async open(target) {
      const source = make(target);
      await source.initialize().catch(() => {});
      return {
        client: source,
        slots: () => slots(source.driver),
        query: (sql) => source.query(sql),
        close: () => (source.isInitialized ? source.destroy() : undefined),
      };
    },
  };
}

export function sequelizeOn(driver: string, options: Options): Exercised {
  return {
    name: `Sequelize on ${driver}`,
    package: 'sequelize',
    open({ user, ...target }) {
      const settings = { username: user, ...target, pool: { max: poolSize }, logging: false };
      const sequelize = new Sequelize({ ...options, ...settings });
      return {
        client: sequelize,
        // @ts-expect-error Sequelize keeps its pool to itself.
        slots: () => sequelize.connectionManager.pool.using,
        query: (sql) => sequelize.query(sql),
        close: () => sequelize.close(),
      };
    },
  };
}
