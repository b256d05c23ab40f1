import { call, isObject, property } from '../client.js';
import { dialectOf } from '../databases/dialect.js';
import { isPgPool } from '../databases/driver-shapes.js';
import type { LendingKnex, PrismaDatabase, SequelizeDatabase } from '../databases/wrapper-shapes.js';
import { quietly } from '../pools/parting.js';
import { copyWith, type FreshConnection } from './fresh.js';
import { connectMysql } from './mysql.js';
import { connectPg, overPgPool } from './pg.js';

/** Knex shows its driver and its settings. */
export function overKnex(knex: LendingKnex, time: number): FreshConnection | undefined {
  const driver = property(knex.client, 'driver');
  const settings = property(knex.client, 'connectionSettings');
  return overDriver(String(property(knex.client, 'dialect')), driver, settings, time);
}

function overDriver(
  dialect: string,
  driver: unknown,
  settings: unknown,
  time: number,
): FreshConnection | undefined {
  const { name } = dialectOf(dialect);
  if (!isObject(settings)) return undefined;
  if (name === 'postgresql') return connectPg(property(driver, 'Client'), settings);
  return name === 'mysql' ? connectMysql(driver, settings, time) : undefined;
}

/** Sequelize shows both, too. Which server of several, or which settings after a hook, it does not show. */
export function overSequelize(client: SequelizeDatabase, time: number): FreshConnection | undefined {
  const config = property(client, 'config');
  const driver = property(property(client, 'connectionManager'), 'lib');
  const dialect = client.getDialect();
  const isPlain = !['beforeConnect', 'afterConnect'].some((hook) => call(client, 'hasHook', hook) === true);
  // The driver of mariadb shows no connection before it is made.
  if (!isPlain || isObject(property(config, 'replication')) || dialect === 'mariadb') return undefined;
  const settings = copyWith(property(config, 'dialectOptions'), {
    host: property(config, 'host'),
    port: property(config, 'port'),
    user: property(config, 'username'),
    password: property(config, 'password') ?? undefined,
    database: property(config, 'database'),
  });
  return overDriver(dialect, driver, settings, time);
}

/** The factory of a driver adapter makes a pool, which connects when it is asked: only its settings are taken. */
export async function overPrisma(client: PrismaDatabase): Promise<FreshConnection | undefined> {
  const factory = property(property(client, '_engineConfig'), 'adapter');
  // Others connect at once, some more than once.
  if (property(factory, 'adapterName') !== '@prisma/adapter-pg') return undefined;
  const given = property(factory, 'externalPool');
  if (isPgPool(given)) return overPgPool(given);
  const adapter: unknown = await call(factory, 'connect');
  const pool = property(adapter, 'client');
  quietly(() => call(adapter, 'dispose'));
  return isPgPool(pool) ? overPgPool(pool) : undefined;
}
