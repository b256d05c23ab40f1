import { hasMethods, property } from '../client.js';
import { isMysqlPool, type MysqlConnection, type MysqlPool } from '../databases/driver-shapes.js';
import { databaseOf } from '../databases/index.js';
import { corePoolOf, isMariadb } from '../databases/mysql.js';
import type { DatabaseClients, RecognisedDatabase } from '../databases/shapes.js';
import { addListener } from '../listening.js';
import type { Adapters } from '../recognise.js';
import { heldAlone, heldByMysql2, heldByPg } from './held.js';
import type { OnLend } from './last-lent.js';
import { overMysqlConnection, overMysqlPool } from './mysql.js';
import type { OpinionSource } from './offer.js';
import { opinionBy, type Dependency } from './opinion.js';
import { overPgClient, overPgPool } from './pg.js';

/** The query of the opinion; the usage is that of the check's own adapter. */
type Asked = Omit<Dependency, 'usage' | 'queues'>;

/** A client without a second opinion: its failure is that of all. */
const none = (): Asked => ({ connect: () => undefined });

/** A pool emits an event when it lends a connection. */
const lendingOf =
  (pool: unknown): OnLend =>
  (lent) =>
    hasMethods(pool, 'on', 'removeListener') ? addListener(pool, 'acquire', lent) : undefined;

const mysqlPool = (pool: MysqlPool): Asked =>
  isMariadb(pool)
    ? none()
    : {
        onLend: lendingOf(corePoolOf(pool)),
        held: () => heldByMysql2(pool),
        connect: (time) => overMysqlPool(pool, time),
      };
const mysqlConnection = (connection: MysqlConnection): Asked => ({
  connect: (time) => overMysqlConnection(connection, time),
  held: () => heldAlone(property(connection, 'connection') ?? connection),
});

const adapters: Adapters<DatabaseClients, Asked> = {
  pgPool: (pool) => ({
    connect: () => overPgPool(pool),
    onLend: lendingOf(pool),
    held: () => heldByPg(pool),
  }),
  pgClient: (client) => ({ connect: () => overPgClient(client), held: () => heldAlone(client) }),
  mysqlCallbacks(client) {
    const inner = client.promise();
    return isMysqlPool(inner) ? mysqlPool(inner) : mysqlConnection(inner);
  },
  mysqlPool,
  mysqlConnection,
  postgresJs: none,
  sqlite: none,
  knex: none,
  kysely: none,
  prisma: none,
  typeorm: none,
  sequelize: none,
  mikroOrm: none,
  lucidClient: none,
  lucidManager: none,
};

/** The second opinion on a database. */
export function databaseOpinion(client: RecognisedDatabase): OpinionSource {
  const database = databaseOf(client);
  return opinionBy({ ...client.adopt(adapters), usage: () => database.usage?.(), queues: true });
}
