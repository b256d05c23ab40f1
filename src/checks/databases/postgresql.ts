import { isPromise } from '../../core/objects.js';
import { call, hasMethods, listOf, numberOf, property, shape } from '../client.js';
import { onAcquire } from '../listening.js';
import { abandon, ignore } from '../pools/abandoned.js';
import type { PoolUsage } from '../pools/pool.js';
import { notReady } from '../reasons.js';
import { kind } from '../recognise.js';
import {
  abandonSockets,
  construct,
  copyWith,
  failureOfFresh,
  type FreshConnection,
  hasOwnStream,
  identityOf,
} from '../second-opinion/fresh.js';
import { heldAlone, heldOf, idOf, postgresStatement } from '../second-opinion/server-word.js';
import { type Database, overPool, postgresqlDialect, rowsOf } from './database.js';

/** A connection of a pg pool. */
interface PgPoolClient {
  query(sql: string): Promise<{ readonly rows: unknown[] }>;
  release(destroy?: boolean): void;
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
}

/** `Pool` of pg. */
export interface PgPool {
  connect(): Promise<PgPoolClient>;
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** `Client` of pg. */
export interface PgClient {
  query(sql: string): Promise<{ readonly rows: unknown[] }>;
  escapeIdentifier(name: string): string;
  end(): Promise<void>;
}

export const isPgPool = (value: unknown): value is PgPool =>
  hasMethods(value, 'connect', 'query') && 'totalCount' in value && 'idleCount' in value;

export const isPgClient = shape<PgClient>('query', 'escapeIdentifier', 'end');

const isPoolClient = shape<PgPoolClient>('query', 'release', 'on', 'off');

const clientsOf = (pool: PgPool) => listOf(property(pool, '_clients'));

const isConnecting = (client: unknown) => property(client, '_connected') === false;

export const pgPool = (pool: PgPool): Database =>
  overPool(
    postgresqlDialect,
    {
      acquire: () => checkOut(pool),
      // pg waits forever for a server that accepts and does not answer.
      opening: () => clientsOf(pool).filter(isConnecting),
      cancel: (client) => abandonPg(client, ignore),
      release(client) {
        client.off('error', ignore);
        client.release();
      },
      destroy: (client) =>
        abandonPg(client, () => {
          client.release(true);
          // The pool listens to it again, to pass an error on to the listeners of the pool.
          call(client, 'removeAllListeners', 'error');
          client.on('error', ignore);
        }),
      usage: () => pgUsage(pool),
    },
    (client, sql) => client.query(sql),
    {
      connect: () => connectPg(property(pool, 'Client'), property(pool, 'options')),
      onCheckout: onAcquire(pool),
      held() {
        const idle = new Set(listOf(property(pool, '_idle')).map((item) => property(item, 'client')));
        return heldOf(clientsOf(pool).filter((client) => !idle.has(client) && !isConnecting(client)));
      },
    },
  );

/**
 * A connection that is checked out and breaks emits an error, and without a listener that ends the process. Listens in the turn in which it is
 * checked out: the server's last message may be in the bytes that made it free, and is read before a promise resolves.
 */
function checkOut(pool: PgPool): Promise<PgPoolClient> {
  return new Promise((resolve, reject) => {
    const take = (client: PgPoolClient) => {
      client.on('error', ignore);
      resolve(client);
    };
    const returned = call(pool, 'connect', (error: unknown, client: unknown) =>
      isPoolClient(client) ? take(client) : reject(error),
    );
    // Pools of other packages accept no callback.
    if (isPromise(returned)) void returned.then((client) => isPoolClient(client) && take(client), reject);
  });
}

/** Abandons a connection of pg. The pool waits for its event `end`, which pg emits only when the socket closes. */
export function abandonPg(client: unknown, drop: () => unknown): Promise<void> | undefined {
  const connection = property(client, 'connection');
  return abandon(property(connection, 'stream'), () => {
    drop();
    call(connection, 'emit', 'end');
  });
}

function pgUsage(pool: PgPool): PoolUsage {
  const connecting = clientsOf(pool).filter(isConnecting).length;
  return {
    used: pool.totalCount - pool.idleCount - connecting,
    max: numberOf(property(pool, 'options'), 'max'),
    waiting: pool.waitingCount,
    connecting,
  };
}

function pgClient(client: PgClient): Database {
  const connect = () => connectPg(client.constructor, property(client, 'connectionParameters'));
  const findCause = failureOfFresh(connect);
  const neverConnected = () => property(client, '_ended') === true && isConnecting(client);
  return {
    dialect: postgresqlDialect,
    async query(sql, signal) {
      try {
        // One that could not connect would keep the query forever.
        if (!neverConnected()) return rowsOf(await client.query(sql));
      } catch (thrown) {
        if (!neverConnected()) throw thrown;
      }
      const cause = await findCause(signal);
      throw notReady('the Client could not connect, and does not try again', cause);
    },
    opinion: { connect, held: () => heldAlone(client) },
  };
}

/** Connects with pg's own client, but without the hooks of the pool: it knows passwords that are functions, sockets of the file system and TLS. */
function connectPg(Client: unknown, settings: unknown): FreshConnection | undefined {
  if (settings === undefined || hasOwnStream(settings)) return undefined;
  // Its timer would be a second one: the deadline is ours.
  const client = construct(Client, copyWith(settings, { connectionTimeoutMillis: 0 }));
  const streamOf = () => property(client, 'connection', 'stream');
  const plain = streamOf();
  // A connection of pg-native cannot be closed while it connects.
  if (!hasMethods(plain, 'destroy') || !hasMethods(client, 'connect', 'query', 'end')) return undefined;
  call(client, 'on', 'error', ignore);
  const query = async (sql: string) => rowsOf(await call(client, 'query', sql));
  return {
    answered: Promise.resolve(call(client, 'connect')).then(() => query(postgresqlDialect.ping)),
    identity: identityOf(client),
    inquiry: { id: () => idOf(client), query, statement: postgresStatement },
    end: () => call(client, 'end'),
    close: () => abandonSockets(streamOf(), plain),
  };
}

export const postgresql = [kind(['pg Pool'], isPgPool, pgPool), kind(['pg Client'], isPgClient, pgClient)];
