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
import { isKnex } from '../databases/wrapper-shapes.js';
import { asking, type Dependency } from './ask.js';
import { learnMariadb, overMysqlConnection, overMysqlPool } from './mysql.js';
import { overPgClient, overPgPool } from './pg.js';
import { overKnex, overPrisma, overSequelize } from './wrappers.js';

/** What is asked; the usage is that of the check's own adapter. */
type Asked = Omit<Dependency, 'usage'>;

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
  return { onReturn, connect: isMariadb(pool) ? learnMariadb(pool) : (time) => overMysqlPool(pool, time) };
};
const mysqlConnection = (connection: DriverClients['mysqlConnection']): Asked => ({
  connect: (time) => overMysqlConnection(connection, time),
});

const drivers: Adapters<DriverClients, Asked> = {
  pgPool: (pool) => ({ connect: () => overPgPool(pool), onReturn: returnsOf(() => pool) }),
  pgClient: (client) => ({ connect: () => overPgClient(client) }),
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
});
const overKnexBelow = (current: () => unknown): Asked =>
  over(() => {
    const below = current();
    return isKnex(below) ? knex(below) : undefined;
  });
const knex = (database: DatabaseClients['knex']): Asked => ({
  connect: (time) => overKnex(database, time),
  onReturn: returnsOf(() => property(database.client, 'pool')),
});

const adapters: Adapters<DatabaseClients, Asked> = {
  ...drivers,
  knex,
  kysely: () => none,
  prisma: (client) => ({ connect: () => overPrisma(client) }),
  typeorm: ({ driver }) =>
    over(() => recogniseDriver(property(driver, 'master') ?? property(driver, 'pool'))?.adopt(drivers)),
  sequelize: (client) => ({ connect: (time) => overSequelize(client, time) }),
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
  return asking({ ...client.adopt(adapters), usage: () => database.usage?.() });
}
