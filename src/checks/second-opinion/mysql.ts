import { call, hasMethods, isObject, property } from '../client.js';
import { rowsOf } from '../databases/database.js';
import { mysql } from '../databases/dialect.js';
import type { MysqlConnection, MysqlPool } from '../databases/driver-shapes.js';
import { connectionsOf, corePoolOf } from '../databases/mysql.js';
import { quietly } from '../pools/parting.js';
import {
  calledBack,
  construct,
  copyWith,
  type FreshConnection,
  hasOwnStream,
  identityOf,
  listenForErrors,
  partFromSockets,
} from './fresh.js';
import { idOf } from './held.js';
import { mysqlStatement } from './server-word.js';

/** The drivers' own timers must not fire before ours, and must end connections that ours cannot reach. */
const beyond = (time: number) => Math.ceil(time * 2);

/** mysql2 shows the class of its pools only: one more, of one connection, which is thrown away. */
export function overMysqlPool(pool: MysqlPool, time: number): FreshConnection | undefined {
  const core = corePoolOf(pool);
  const config = property(core, 'config');
  const connectionConfig = property(config, 'connectionConfig');
  if (!isObject(connectionConfig) || hasOwnStream(connectionConfig)) return undefined;
  const one = construct(property(core, 'constructor'), {
    config: copyWith(config, {
      connectionConfig: copyWith(connectionConfig, { connectTimeout: beyond(time) }),
      connectionLimit: 1,
      maxIdle: 1,
      waitForConnections: true,
      queueLimit: 0,
    }),
  });
  if (one === undefined) return undefined;
  const connected = calledBack((done) => call(one, 'getConnection', done));
  const [made] = connectionsOf(one);
  return connection(made, connected);
}

/** A connection of mysql2, with callbacks inside one with promises. */
export function overMysqlConnection(client: MysqlConnection, time: number): FreshConnection | undefined {
  const core = property(client, 'connection') ?? client;
  const config = property(core, 'config');
  // The class of a connection of a pool wants its pool.
  if (!isObject(config) || hasOwnStream(config) || property(core, '_pool') !== undefined) return undefined;
  const made = construct(property(core, 'constructor'), {
    config: copyWith(config, { connectTimeout: beyond(time) }),
  });
  return connection(
    made,
    calledBack((done) => call(made, 'connect', done)),
  );
}

/** A connection with callbacks that is being opened. mysql2 never answers queries sent before the login. */
function connection(made: unknown, connected: Promise<unknown>): FreshConnection {
  listenForErrors(made);
  const plain = socketOf(made);
  return {
    answered: connected.then(() => calledBack((done) => call(made, 'query', mysql.ping, done))),
    identity: identityOf(property(made, 'config')),
    inquiry: {
      id: () => idOf(made),
      query: async (sql) => rowsOf(await calledBack((done) => call(made, 'query', plainRows(sql), done))),
      statement: mysqlStatement,
    },
    // The `end` of a connection of a pool of mysql2 gives it back, with a warning.
    end: () => calledBack((done) => call(made, hasMethods(made, '_realEnd') ? '_realEnd' : 'end', done)),
    close() {
      quietly(() => call(made, 'destroy'));
      return partFromSockets(socketOf(made), plain);
    },
  };
}

/** Whatever the application's settings make of rows. */
const plainRows = (sql: string) => ({ sql, rowsAsArray: false, nestTables: false });

const socketOf = (made: unknown) => property(made, 'stream') ?? property(made, '_socket');
