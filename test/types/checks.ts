// Each real client is taken; what is none does not compile. Checked by tsc alone, never run.
import type { Database as LucidDatabase } from '@adonisjs/lucid/database';
import type { MigrationRunner } from '@adonisjs/lucid/migration';
import type { Client as LibsqlClient } from '@libsql/client';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { GlideClient, GlideClusterClient } from '@valkey/valkey-glide';
import type { MySql2Database } from 'drizzle-orm/mysql2';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type { Cluster, Redis } from 'ioredis';
import type { Redis as Valkey } from 'iovalkey';
import type { Knex } from 'knex';
import type { Kysely, Migrator, MigratorProps } from 'kysely';
import type LibsqlDatabase from 'libsql';
import type { Pool as MariadbPool } from 'mariadb';
import type { Client as MemjsClient } from 'memjs';
import type { MongoClient } from 'mongodb';
import type { Connection, Pool as Mysql2Pool } from 'mysql2';
import type { Connection as PromiseConnection, Pool as PromisePool } from 'mysql2/promise';
import type { Client, Pool } from 'pg';
import type { Sql } from 'postgres';
import type { RedisClientType, RedisClusterType, RedisSentinelType } from 'redis';
import type { RedisClientType as RedisClientType4 } from 'redis4';
import type { RedisClientType as RedisClientType6 } from 'redis6';
import type { Sequelize } from 'sequelize';
import type { DataSource } from 'typeorm';
import type { Umzug } from 'umzug';
import { checks, type ExtensionOptions } from '../../src/frameworks/express.js';

type Options = ExtensionOptions;
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it stands for a value of that type
declare function client<T>(): T;

interface Tables {
  things: { id: number };
}

export const databases: readonly Options[] = [
  { db: client<Pool>() },
  { db: client<Client>() },
  { db: client<Sql>() },
  { db: client<Mysql2Pool>() },
  { db: client<Connection>() },
  { db: client<PromisePool>() },
  { db: client<PromiseConnection>() },
  { db: client<MariadbPool>() },
  { db: client<LibsqlDatabase.Database>() },
  { db: client<LibsqlClient>() },
  { db: client<Knex>() },
  { db: client<Kysely<Tables>>() },
  { db: client<NodePgDatabase & { $client: Pool }>() },
  { db: client<PostgresJsDatabase & { $client: Sql }>() },
  { db: client<MySql2Database & { $client: Mysql2Pool }>() },
  { db: client<DataSource>() },
  { db: client<Sequelize>() },
  { db: client<MikroORM>() },
  { db: client<LucidDatabase>() },
  { db: [client<Pool>(), client<Knex>()] },
  { db: { main: client<Pool>(), replica: client<Pool>() } },
  { db: undefined },
];

export const stores: readonly Options[] = [
  { redis: client<Redis>() },
  { redis: client<Cluster>() },
  { redis: client<Valkey>() },
  { redis: client<RedisClientType>() },
  { redis: client<RedisClientType4>() },
  { redis: client<RedisClientType6>() },
  { redis: client<RedisClusterType>() },
  { redis: client<RedisSentinelType>() },
  { redis: client<GlideClient>() },
  { redis: client<GlideClusterClient>() },
  { redis: client<MemjsClient>() },
  { redis: { sessions: client<Redis>(), cache: client<Redis>() } },
];

export const migrations: readonly Options[] = [
  { migrations: client<Knex>() },
  { migrations: client<Migrator>() },
  { migrations: client<MigratorProps>() },
  { migrations: { db: client<NodePgDatabase & { $client: Pool }>(), migrationsFolder: 'drizzle' } },
  { migrations: client<DataSource>() },
  { migrations: client<Umzug>() },
  { migrations: client<MikroORM>() },
  { migrations: client<MigrationRunner>() },
  { migrations: { dbClient: client<Pool>(), dir: 'migrations', migrationsTable: 'pgmigrations' } },
];

export const wrong: readonly Options[] = [
  // @ts-expect-error a connection string is no client
  { db: 'postgres://localhost/things' },
  // @ts-expect-error a promise of a client is none
  { db: client<Promise<Pool>>() },
  // @ts-expect-error a Redis is no database
  { db: client<Redis>() },
  // @ts-expect-error neither in a list
  { db: [client<Pool>(), client<Redis>()] },
  // @ts-expect-error nor under a name
  { db: { main: client<Pool>(), cache: client<Redis>() } },
  // @ts-expect-error a class is not its instance
  { db: client<typeof Pool>() },
  // @ts-expect-error null is no client
  { db: null },
  // @ts-expect-error a pool is no Redis
  { redis: client<Pool>() },
  // @ts-expect-error a port is no client
  { redis: 6379 },
  // @ts-expect-error a pool knows no migrations
  { migrations: client<Pool>() },
  // @ts-expect-error the folder is missing
  { migrations: { db: client<NodePgDatabase & { $client: Pool }>() } },
];

checks.mongo(client<MongoClient>(), { warn: 100 });
// @ts-expect-error a pool is no MongoDB
checks.mongo(client<Pool>());
// @ts-expect-error the path is missing
checks.disk({ warn: 0.5 });
// @ts-expect-error a threshold is a number
checks.memory({ warn: '80%' });
// @ts-expect-error the port is missing
checks.tcp('host');
