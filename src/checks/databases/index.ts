import { Error as ErrorMessage } from '../../core/heartbeat/messages.js';
import type { CheckContext } from '../../core/heartbeat/check.js';
import type { Adapters } from '../recognise.js';
import { inFlight } from '../flight.js';
import { capital, type Fault, reasonOf } from '../reasons.js';
import type { Database } from './database.js';
import { drivers } from './drivers.js';
import { lucidClient, lucidManager, mikroOrm, prisma, sequelize, typeorm } from './orms.js';
import { knex, kysely } from './query-builders.js';
import type { DatabaseClients, RecognisedDatabase } from './shapes.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';

const adapters: Adapters<DatabaseClients, Database> = {
  ...drivers,
  knex,
  kysely,
  prisma,
  typeorm,
  sequelize,
  mikroOrm,
  lucidClient,
  lucidManager,
};

/** The one way to ask a client, whichever it is. */
export const databaseOf = (recognised: RecognisedDatabase): Database => recognised.adopt(adapters);

const messages: Readonly<
  Record<Fault, { readonly id: string; readonly summary: string | undefined; readonly hint: string }>
> = {
  unreachable: {
    id: messageIds.databaseUnreachable,
    summary: 'Cannot connect to the database',
    hint: 'Check that the server is up, and that the host and port in the settings are right.',
  },
  full: {
    id: messageIds.databaseUnreachable,
    summary: 'Cannot connect to the database',
    hint: 'Look for connections that are not needed, or allow more of them on the server.',
  },
  exhausted: {
    id: messageIds.poolExhausted,
    summary: undefined,
    hint: 'Look for connections that are never released and for slow queries, or increase the pool size.',
  },
  broken: {
    id: messageIds.databaseUnusable,
    summary: 'Database connection unusable',
    hint: 'The connection was open but no longer works: see the database log.',
  },
  misconfigured: {
    id: messageIds.databaseMisconfigured,
    summary: 'Database misconfigured',
    hint: 'Compare the user, password and database name with those on the server.',
  },
  other: {
    id: messageIds.databaseError,
    summary: 'Database driver error',
    hint: "Look up the error code in the database's manual.",
  },
};

/** The code of `check_database_connected`, loaded when the check is created. */
export function databaseConnected(
  client: RecognisedDatabase,
): (context: CheckContext) => Promise<readonly ErrorMessage[]> {
  const database = databaseOf(client);
  const ping = inFlight(async (starter) => database.query(database.dialect.ping, starter));
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
  const { id, summary, hint } = messages[fault];
  return new ErrorMessage(summary === undefined ? capital(text) : `${summary}: ${text}`, { id, hint, fault });
}
