// Each real client is taken; what is none does not compile. Checked by tsc alone, never run.
import type { Database as LucidDatabase } from '@adonisjs/lucid/database';
import type { MigrationRunner } from '@adonisjs/lucid/migration';
import type { MikroORM } from '@mikro-orm/postgresql';
import type BetterSqlite from 'better-sqlite3';
import type { GlideClient, GlideClusterClient } from '@valkey/valkey-glide';
import type { Queue, Worker } from 'bullmq';
import type { AmqpConnectionManager, ChannelWrapper } from 'amqp-connection-manager';
import type { Channel, ChannelModel, ConfirmChannel } from 'amqplib';
import type { Channel as CallbackChannel, Connection as CallbackConnection } from 'amqplib/callback_api';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { MySql2Database } from 'drizzle-orm/mysql2';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type { Cluster, Redis } from 'ioredis';
import type { Redis as Valkey } from 'iovalkey';
import type { Knex } from 'knex';
import type { Kysely, MigratorProps } from 'kysely';
import type { Admin, Consumer as KafkaConsumer, Producer } from 'kafkajs';
import type LibsqlDatabase from 'libsql';
import type { Pool as MariadbPool } from 'mariadb';
import type { MongoClient } from 'mongodb';
import type { Connection, Pool as Mysql2Pool } from 'mysql2';
import type { Connection as PromiseConnection, Pool as PromisePool } from 'mysql2/promise';
import type { Consumer as JetStreamConsumer, NatsConnection } from 'nats';
import type { Consumer as JetStreamConsumer3 } from '@nats-io/jetstream';
import type { NatsConnection as NatsConnection3 } from '@nats-io/transport-node';
import type { Client, Pool } from 'pg';
import type PgBoss from 'pg-boss';
import type { Sql } from 'postgres';
import type { RedisClientType, RedisClusterType, RedisSentinelType } from 'redis';
import type { RedisClientType as RedisClientType4 } from 'redis4';
import type { RedisClientType as RedisClientType6 } from 'redis6';
import type { Sequelize } from 'sequelize';
import type { DataSource } from 'typeorm';
import type { Umzug } from 'umzug';
import { checks, Health, type HealthOptions } from 'lifesign/express';

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it stands for a value of that type
declare function client<T>(): T;

interface Empty {}

interface Tables {
  things: { id: number };
}

export const databases = [
  new Health(undefined, { db: client<Pool>() }),
  new Health(undefined, { db: client<Client>() }),
  new Health(undefined, { db: client<Sql>() }),
  new Health(undefined, { db: client<Mysql2Pool>() }),
  new Health(undefined, { db: client<Connection>() }),
  new Health(undefined, { db: client<PromisePool>() }),
  new Health(undefined, { db: client<PromiseConnection>() }),
  new Health(undefined, { db: client<MariadbPool>() }),
  new Health(undefined, { db: client<LibsqlDatabase.Database>() }),
  new Health(undefined, { db: client<BetterSqlite.Database>() }),
  new Health(undefined, { db: client<BetterSQLite3Database & { $client: BetterSqlite.Database }>() }),
  new Health(undefined, { db: client<Knex>() }),
  new Health(undefined, { db: client<Kysely<Tables>>() }),
  new Health(undefined, { db: client<NodePgDatabase & { $client: Pool }>() }),
  new Health(undefined, { db: client<PostgresJsDatabase & { $client: Sql }>() }),
  new Health(undefined, { db: client<MySql2Database & { $client: Mysql2Pool }>() }),
  new Health(undefined, { db: client<DataSource>() }),
  new Health(undefined, { db: client<Sequelize>() }),
  new Health(undefined, { db: client<MikroORM>() }),
  new Health(undefined, { db: client<LucidDatabase>() }),
  new Health(undefined, { db: [client<Pool>(), client<Knex>()] }),
  new Health(undefined, { db: { main: client<Pool>(), replica: client<Pool>() } }),
  new Health(undefined, { db: undefined }),
  new Health(undefined, { db: client<Record<string, Pool>>() }),
  new Health(undefined, { db: client<Pool | undefined>() }),
  new Health(undefined, { db: client<Pool | { main: Pool }>(), redis: client<Redis>() }),
  new Health(undefined, client<HealthOptions>()),
  new Health(undefined, { db: client<Pool>(), uid: (req) => req.get('x-user') ?? '' }),
];

export const stores = [
  new Health(undefined, { redis: client<Redis>() }),
  new Health(undefined, { redis: client<Cluster>() }),
  new Health(undefined, { redis: client<Valkey>() }),
  new Health(undefined, { redis: client<RedisClientType>() }),
  new Health(undefined, { redis: client<RedisClientType4>() }),
  new Health(undefined, { redis: client<RedisClientType6>() }),
  new Health(undefined, { redis: client<RedisClusterType>() }),
  new Health(undefined, { redis: client<RedisSentinelType>() }),
  new Health(undefined, { redis: client<GlideClient>() }),
  new Health(undefined, { redis: client<GlideClusterClient>() }),
  new Health(undefined, { redis: { sessions: client<Redis>(), cache: client<Redis>() } }),
];

export const migrations = [
  new Health(undefined, { migrations: client<Knex>() }),
  new Health(undefined, { migrations: client<MigratorProps>() }),
  new Health(undefined, {
    migrations: { db: client<NodePgDatabase & { $client: Pool }>(), migrationsFolder: 'drizzle' },
  }),
  new Health(undefined, { migrations: client<DataSource>() }),
  new Health(undefined, { migrations: client<Umzug>() }),
  new Health(undefined, { migrations: client<MikroORM>() }),
  new Health(undefined, { migrations: client<MigrationRunner>() }),
  new Health(undefined, {
    migrations: { dbClient: client<Pool>(), dir: 'migrations', migrationsTable: 'pgmigrations' },
  }),
];

export const wrong = [
  // @ts-expect-error neither has a class without members
  new Health(undefined, { db: client<Empty>() }),
  // @ts-expect-error an option that does not exist is seen beside a client
  new Health(undefined, { db: client<Pool>(), versionPaht: '/app' }),
  // @ts-expect-error a connection string is no client
  new Health(undefined, { db: 'postgres://localhost/things' }),
  // @ts-expect-error a promise of a client is none
  new Health(undefined, { db: client<Promise<Pool>>() }),
  // @ts-expect-error a Redis is no database
  new Health(undefined, { db: client<Redis>() }),
  // @ts-expect-error a pool is no Redis
  new Health(undefined, { redis: client<Pool>() }),
  // @ts-expect-error a pool knows no migrations
  new Health(undefined, { migrations: client<Pool>() }),
  // @ts-expect-error the folder is missing
  new Health(undefined, { migrations: { db: client<NodePgDatabase & { $client: Pool }>() } }),
];

checks.mongo(client<MongoClient>(), { warn: 100 });
// @ts-expect-error a pool is no MongoDB
checks.mongo(client<Pool>());
// @ts-expect-error the port is missing
checks.tcp('host');
checks.certificate({
  host: 'example.com',
  port: 8443,
  servername: 'a.example',
  ca: ['…'],
  warn: '21d',
  error: 604_800_000,
});
checks.certificate({ file: 'tls.crt', error: '12h' });
// @ts-expect-error: a source is missing
checks.certificate({ warn: '21d' });
// @ts-expect-error: a unit is missing
checks.certificate({ host: 'example.com', warn: '21' });
// @ts-expect-error: one of them
checks.certificate({ server: 'tls' });

export const brokers = [
  new Health(undefined, { broker: client<ChannelModel>() }),
  new Health(undefined, { broker: client<Channel>() }),
  new Health(undefined, { broker: client<CallbackConnection>() }),
  new Health(undefined, { broker: client<AmqpConnectionManager>() }),
  new Health(undefined, { broker: client<NatsConnection>() }),
  new Health(undefined, { broker: client<NatsConnection3>() }),
  new Health(undefined, { broker: client<Admin>() }),
  new Health(undefined, { broker: client<KafkaConsumer>() }),
  new Health(undefined, { broker: client<Queue>() }),
  new Health(undefined, { broker: client<Worker>() }),
  new Health(undefined, { broker: client<PgBoss>() }),
  new Health(undefined, { broker: () => client<ChannelModel | undefined>() }),
  new Health(undefined, { broker: [client<ChannelModel>(), client<NatsConnection>()] }),
  new Health(undefined, { broker: { orders: client<ChannelModel>(), events: client<NatsConnection>() } }),
  new Health(undefined, { broker: [() => client<ChannelModel>()] }),
  // @ts-expect-error a function in an object may be a method
  new Health(undefined, { broker: { orders: () => client<ChannelModel>() } }),
  // @ts-expect-error a producer of kafkajs can ask for nothing
  new Health(undefined, { broker: client<Producer>() }),
];

const stalledAfter = 60_000;
export const progress = [
  checks.progress({ pending: () => 1, processed: () => new Date(), stalledAfter }),
  checks.progress({
    pending: async () => 1n,
    processed: async () => null,
    paused: () => false,
    stalledAfter,
  }),
  checks.progress({ consumer: client<Worker>(), queue: client<Queue>(), stalledAfter }),
  checks.progress({ consumer: client<Channel>(), queue: 'jobs', stalledAfter }),
  checks.progress({ consumer: client<ConfirmChannel>(), queue: 'jobs', noAck: true, stalledAfter }),
  checks.progress({ consumer: client<CallbackChannel>(), queue: 'jobs', stalledAfter }),
  checks.progress({ consumer: () => client<Channel | undefined>(), queue: 'jobs', stalledAfter }),
  checks.progress({ consumer: client<ChannelWrapper>(), queue: 'jobs', stalledAfter }),
  checks.progress({ consumer: client<JetStreamConsumer>(), stalledAfter }),
  checks.progress({ consumer: client<JetStreamConsumer3>(), stalledAfter }),
  checks.progress({ consumer: client<KafkaConsumer>(), stalledAfter }),
  // @ts-expect-error a consumer reports by itself
  checks.progress({ consumer: client<KafkaConsumer>(), pending: () => 5, stalledAfter }),
  checks.progress({ consumer: client<PgBoss>(), queue: 'jobs', stalledAfter }),
  // @ts-expect-error how long is missing
  checks.progress({ pending: () => 1, processed: () => new Date() }),
  // @ts-expect-error what was done is missing
  checks.progress({ pending: () => 1, stalledAfter }),
  // @ts-expect-error a worker does not tell how much waits
  checks.progress({ consumer: client<Worker>(), stalledAfter }),
  // @ts-expect-error the name of the queue is missing
  checks.progress({ consumer: client<Channel>(), stalledAfter }),
];

export const schedules = [
  checks.schedule({ every: 60_000, lastRun: () => new Date() }),
  checks.schedule({ every: 60_000, grace: 5000, lastRun: async () => undefined }),
  // @ts-expect-error how often is missing
  checks.schedule({ lastRun: () => new Date() }),
];
