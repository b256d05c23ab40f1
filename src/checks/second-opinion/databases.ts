import { call, hasMethods, property } from '../client.js';
import type { Adapters } from '../recognise.js';
import type { Database } from '../databases/database.js';
import { isMysqlPool } from '../databases/driver-shapes.js';
import { databaseOf } from '../databases/index.js';
import { corePoolOf, isMariadb } from '../databases/mysql.js';
import { builderOf } from '../databases/orms.js';
import {
  type DatabaseClients,
  recogniseDriver,
  type RecognisedDatabase,
  type DriverClients,
} from '../databases/shapes.js';
import { isKnex, poolOfPrisma } from '../databases/wrapper-shapes.js';
import type { Life } from '../life.js';
import { addListener } from '../listening.js';
import { opinionBy, type Dependency } from './opinion.js';
import { heldAlone, heldByMariadb, heldByMysql2, heldByPg, heldBySequelize, heldByTarn } from './held.js';
import type { OnLend } from './last-lent.js';
import type { OpinionSource } from './offer.js';
import { overMariadbPool, overMysqlConnection, overMysqlPool } from './mysql.js';
import { overPgClient, overPgPool } from './pg.js';
import { overKnex, overPrisma, overSequelize } from './wrappers.js';

/** The query of the opinion; the usage is that of the check's own adapter. */
type Asked = Omit<Dependency, 'usage' | 'queues'>;

const none: Asked = { connect: () => undefined };

/** A pool that emits an event when it lends a connection. */
const lendingOf =
  (pool: () => unknown, event = 'acquire'): OnLend =>
  (lent) => {
    const emitter = pool();
    return hasMethods(emitter, 'on', 'removeListener') ? addListener(emitter, event, lent) : undefined;
  };

const mysqlPool = (pool: DriverClients['mysqlPool'], life: Life): Asked => {
  const onLend = lendingOf(() => corePoolOf(pool));
  if (!isMariadb(pool)) {
    return { onLend, held: () => heldByMysql2(pool), connect: (time) => overMysqlPool(pool, time) };
  }
  return { onLend, held: heldByMariadb(pool, life), connect: (time) => overMariadbPool(pool, time) };
};
const mysqlConnection = (connection: DriverClients['mysqlConnection']): Asked => ({
  connect: (time) => overMysqlConnection(connection, time),
  held: () => heldAlone(property(connection, 'connection') ?? connection),
});

const drivers: Adapters<DriverClients, Asked, [life: Life]> = {
  pgPool: (pool) => ({
    connect: () => overPgPool(pool),
    onLend: lendingOf(() => pool),
    held: () => heldByPg(pool),
  }),
  pgClient: (client) => ({ connect: () => overPgClient(client), held: () => heldAlone(client) }),
  postgresJs: () => none,
  mysqlCallbacks(client, life) {
    const inner = client.promise();
    return isMysqlPool(inner) ? mysqlPool(inner, life) : mysqlConnection(inner);
  },
  mysqlPool,
  mysqlConnection,
  sqlite: () => none,
};

/** Uses the pool below: these libraries create it when they connect. */
const over = (current: () => Asked | undefined): Asked => ({
  connect: (time) => current()?.connect(time),
  onLend: (lent) => current()?.onLend?.(lent),
  held: () => current()?.held?.(),
});
const overKnexBelow = (current: () => unknown): Asked =>
  over(() => {
    const below = current();
    return isKnex(below) ? knex(below) : undefined;
  });
const knex = (database: DatabaseClients['knex']): Asked => ({
  connect: (time) => overKnex(database, time),
  onLend: lendingOf(() => property(database.client, 'pool'), 'acquireSuccess'),
  held: () => heldByTarn(property(database.client, 'pool')),
});

const adapters: Adapters<DatabaseClients, Asked, [life: Life]> = {
  ...drivers,
  knex,
  kysely: () => none,
  prisma(client) {
    const pool = poolOfPrisma(client);
    return {
      connect: () => overPrisma(client),
      ...(pool && { held: () => heldByPg(pool), onLend: lendingOf(() => pool) }),
    };
  },
  typeorm({ driver }, life) {
    let known: { readonly pool: unknown; readonly asked: Asked | undefined } | undefined;
    return over(() => {
      const pool = property(driver, 'master') ?? property(driver, 'pool');
      if (known === undefined || known.pool !== pool)
        known = { pool, asked: recogniseDriver(pool)?.adopt(drivers, life.next()) };
      return known.asked;
    });
  },
  sequelize: (client) => ({
    connect: (time) => overSequelize(client, time),
    held: () => heldBySequelize(property(property(client, 'connectionManager'), 'pool')),
  }),
  mikroOrm: (orm) => overKnexBelow(() => builderOf(orm.em.getConnection())),
  lucidClient: (client) =>
    overKnexBelow(() =>
      call(client, property(client, 'mode') === 'read' ? 'getReadClient' : 'getWriteClient'),
    ),
  lucidManager: (manager) => overKnexBelow(() => manager.connection().getWriteClient()),
};

/** The second opinion on a database. */
export function databaseOpinion(client: RecognisedDatabase, life: Life): OpinionSource {
  const database: Database = databaseOf(client);
  return opinionBy({ ...client.adopt(adapters, life), usage: () => database.usage?.(), queues: true });
}
