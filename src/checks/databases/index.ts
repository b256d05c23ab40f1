import { Error as ErrorMessage } from '../../core/heartbeat/messages.js';
import type { CheckContext } from '../../core/heartbeat/check.js';
import { adopt, NotReady } from '../client.js';
import { inFlight } from '../flight.js';
import { capital, type Fault, reasonOf } from '../reasons.js';
import type { Database } from './database.js';
import { mysqlCallbacks, mysqlConnection, mysqlPool } from './mysql.js';
import { lucid, mikroOrm, prisma, sequelize, typeorm } from './orms.js';
import { postgresJs } from './postgres-js.js';
import { pgClient, pgPool } from './postgresql.js';
import { drizzle, knex, kysely } from './query-builders.js';
import { libsqlClient, sqlite } from './sqlite.js';
import { messageIds } from '../../core/heartbeat/message-ids.js';

// Libraries that stand on others come first: some of them show the methods of what they wrap.
const wrappers = [drizzle, knex, kysely, prisma, typeorm, sequelize, mikroOrm, lucid];
const drivers = [
  pgPool,
  pgClient,
  postgresJs,
  mysqlCallbacks,
  mysqlPool,
  mysqlConnection,
  sqlite,
  libsqlClient,
];
const families = [...wrappers, ...drivers];

/** The one way to ask a client, whichever it is. */
export function databaseOf(client: unknown): Database {
  const database = adopt(families, client);
  if (database === undefined) throw new NotReady('the client has changed since it was given');
  return database;
}

const messages: Readonly<
  Record<Fault, { readonly id: string; readonly says: string | undefined; readonly hint: string }>
> = {
  unreachable: {
    id: messageIds.databaseUnreachable,
    says: 'Cannot connect to the database',
    hint: 'Is the server up, and are the host and the port in the settings right?',
  },
  exhausted: {
    id: messageIds.poolExhausted,
    says: undefined,
    hint: 'Look for connections that are never given back and for slow queries, or allow the pool more connections.',
  },
  broken: {
    id: messageIds.databaseUnusable,
    says: 'Database connection unusable',
    hint: 'The connection was there and is of no use now: look at the log of the database.',
  },
  misconfigured: {
    id: messageIds.databaseMisconfigured,
    says: 'Database misconfigured',
    hint: 'Compare the user, the password and the name of the database with the server.',
  },
  other: {
    id: messageIds.databaseError,
    says: 'Database driver error',
    hint: 'Look the code up in the manual of the database.',
  },
};

/** What `check_database_connected` does. */
export function databaseConnected(
  client: unknown,
): (context: CheckContext) => Promise<readonly ErrorMessage[]> {
  const database = databaseOf(client);
  const ping = inFlight(async (starter) => database.query(database.ping, starter));
  return async (context) => {
    try {
      await ping(context);
      return [];
    } catch (thrown) {
      return [databaseMessage(thrown)];
    }
  };
}

function databaseMessage(thrown: unknown): ErrorMessage {
  const { fault, text } = reasonOf(thrown);
  const { id, says, hint } = messages[fault];
  return new ErrorMessage(says === undefined ? capital(text) : `${says}: ${text}`, { id, hint });
}
