import type { Opinion, OpinionContext } from '../../core/heartbeat/scope.js';
import { call, property } from '../client.js';
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
import { asking, type Dependency } from './ask.js';
import { heldAlone, heldByMariadb, heldByMysql2, heldByPg, heldBySequelize, heldByTarn } from './held.js';
import { overMariadbPool, overMysqlConnection, overMysqlPool } from './mysql.js';
import { overPgClient, overPgPool } from './pg.js';
import { overKnex, overPrisma, overSequelize } from './wrappers.js';

/** What is asked; the usage is that of the check's own adapter. */
type Asked = Omit<Dependency, 'usage' | 'queues'>;

const none: Asked = { connect: () => undefined };

/** A pool that tells when a connection is given back. */
const returnsOf =
  (pool: () => unknown) =>
  (returned: () => void): (() => void) => {
    const emitter = pool();
    call(emitter, 'on', 'release', returned);
    return () => void call(emitter, 'removeListener', 'release', returned);
  };

const mysqlPool = (pool: DriverClients['mysqlPool']): Asked => {
  const onReturn = returnsOf(() => corePoolOf(pool));
  if (!isMariadb(pool)) {
    return { onReturn, held: () => heldByMysql2(pool), connect: (time) => overMysqlPool(pool, time) };
  }
  // From now on it is seen which connections are lent.
  heldByMariadb(pool);
  return { onReturn, held: () => heldByMariadb(pool), connect: (time) => overMariadbPool(pool, time) };
};
const mysqlConnection = (connection: DriverClients['mysqlConnection']): Asked => ({
  connect: (time) => overMysqlConnection(connection, time),
  held: () => heldAlone(property(connection, 'connection') ?? connection),
});

const drivers: Adapters<DriverClients, Asked> = {
  pgPool: (pool) => ({
    connect: () => overPgPool(pool),
    onReturn: returnsOf(() => pool),
    held: () => heldByPg(pool),
  }),
  pgClient: (client) => ({ connect: () => overPgClient(client), held: () => heldAlone(client) }),
  postgresJs: () => none,
  mysqlCallbacks(client) {
    const inner = client.promise();
    return isMysqlPool(inner) ? mysqlPool(inner) : mysqlConnection(inner);
  },
  mysqlPool,
  mysqlConnection,
  sqlite: () => none,
  libsqlClient: () => none,
};

/** Over what is below it then: these libraries make that when they connect. */
const over = (current: () => Asked | undefined): Asked => ({
  connect: (time) => current()?.connect(time),
  onReturn: (returned) => current()?.onReturn?.(returned),
  held: () => current()?.held?.(),
});
const overKnexBelow = (current: () => unknown): Asked =>
  over(() => {
    const below = current();
    return isKnex(below) ? knex(below) : undefined;
  });
const knex = (database: DatabaseClients['knex']): Asked => ({
  connect: (time) => overKnex(database, time),
  onReturn: returnsOf(() => property(database.client, 'pool')),
  held: () => heldByTarn(property(database.client, 'pool')),
});

const adapters: Adapters<DatabaseClients, Asked> = {
  ...drivers,
  knex,
  kysely: () => none,
  prisma(client) {
    const pool = poolOfPrisma(client);
    return { connect: () => overPrisma(client), ...(pool && { held: () => heldByPg(pool) }) };
  },
  typeorm: ({ driver }) =>
    over(() => recogniseDriver(property(driver, 'master') ?? property(driver, 'pool'))?.adopt(drivers)),
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
export function databaseOpinion(client: RecognisedDatabase): (context: OpinionContext) => Promise<Opinion> {
  const database: Database = databaseOf(client);
  return asking({ ...client.adopt(adapters), usage: () => database.usage?.(), queues: true });
}
