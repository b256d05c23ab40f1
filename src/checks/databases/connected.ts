import { Error as ErrorMessage } from '../../core/heartbeat/messages.js';
import type { Check } from '../../core/heartbeat/check.js';
import { type DatabaseClient, databaseOf } from './index.js';
import { inFlight } from '../flight.js';
import { capital, type Fault, reasonOf } from '../reasons.js';
import { named } from '../named.js';

export type { DatabaseClient };

const messages: Readonly<
  Record<Fault, { readonly id: string; readonly says: string | undefined; readonly hint: string }>
> = {
  unreachable: {
    id: 'health.E001',
    says: 'Cannot connect to the database',
    hint: 'Is the server up, and are the host and the port in the settings right?',
  },
  exhausted: {
    id: 'health.E022',
    says: undefined,
    hint: 'Look for connections that are never given back and for slow queries, or allow the pool more connections.',
  },
  broken: {
    id: 'health.E002',
    says: 'Database connection unusable',
    hint: 'The connection was there and is of no use now: look at the log of the database.',
  },
  misconfigured: {
    id: 'health.E003',
    says: 'Database misconfigured',
    hint: 'Compare the user, the password and the name of the database with the server.',
  },
  other: {
    id: 'health.E008',
    says: 'Database driver error',
    hint: 'Look the code up in the manual of the database.',
  },
};

/**
 * The check `check_database_connected`: one round trip over the application's own client.
 *
 * @example health.check('orders_database', checkDatabaseConnected(pool));
 */
export function checkDatabaseConnected(client: DatabaseClient): Check {
  const database = databaseOf(client);
  const ping = inFlight(async (starter) => database.query(database.ping, starter));
  return named('check_database_connected', async (context) => {
    try {
      await ping(context);
      return [];
    } catch (thrown) {
      return [databaseMessage(thrown)];
    }
  });
}

function databaseMessage(thrown: unknown): ErrorMessage {
  const { fault, text } = reasonOf(thrown);
  const { id, says, hint } = messages[fault];
  return new ErrorMessage(says === undefined ? capital(text) : `${says}: ${text}`, { id, hint });
}
