import { call, hasMethods, property } from '../client.js';
import type { PgClient, PgPool } from '../databases/driver-shapes.js';
import { rowsOf } from '../databases/database.js';
import { postgresql } from '../databases/dialect.js';
import {
  construct,
  copyWith,
  type FreshConnection,
  hasOwnStream,
  identityOf,
  listenForErrors,
  partFromSockets,
} from './fresh.js';
import { idOf } from './held.js';
import { postgresStatement } from './server-word.js';

/** With the client class and the settings of a pool. The pool's hooks are its own: `onConnect`, `verify`, listeners. */
export const overPgPool = (pool: PgPool): FreshConnection | undefined =>
  connectPg(property(pool, 'Client'), property(pool, 'options'));

/** Uses the settings of the original client. */
export const overPgClient = (client: PgClient): FreshConnection | undefined =>
  connectPg(client.constructor, property(client, 'connectionParameters'));

/** pg's own client: passwords that are functions, sockets of the file system and TLS are its business. */
function connectPg(Client: unknown, settings: unknown): FreshConnection | undefined {
  if (settings === undefined || hasOwnStream(settings)) return undefined;
  // Its timer would be a second one: the deadline is ours.
  const client = construct(Client, copyWith(settings, { connectionTimeoutMillis: 0 }));
  const streamOf = () => property(property(client, 'connection'), 'stream');
  const plain = streamOf();
  // A connection of pg-native cannot be closed while it connects.
  if (!hasMethods(plain, 'destroy') || !hasMethods(client, 'connect', 'query', 'end')) return undefined;
  listenForErrors(client);
  return {
    answered: connectAndAsk(client),
    identity: identityOf(client),
    inquiry: {
      id: () => idOf(client),
      query: async (sql) => rowsOf(await call(client, 'query', sql)),
      statement: postgresStatement,
    },
    end: () => call(client, 'end'),
    close: () => partFromSockets(streamOf(), plain),
  };
}

async function connectAndAsk(client: object): Promise<void> {
  await call(client, 'connect');
  await call(client, 'query', postgresql.ping);
}
