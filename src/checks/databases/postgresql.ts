import { isPromise } from '../../core/objects.js';
import { call, hasMethods, isObject, listOf, numberOf, property } from '../client.js';
import { unconnected } from '../flight.js';
import { onAcquire } from '../listening.js';
import { kind } from '../recognise.js';
import { type Lender, lending, partFrom, wasAccepted } from '../pools/lending.js';
import type { PoolUsage } from '../pools/pool.js';
import {
  construct,
  copyWith,
  type FreshConnection,
  hasOwnStream,
  identityOf,
  listenForErrors,
  partFromSockets,
} from '../second-opinion/fresh.js';
import { type Held, heldAlone, heldOf, idOf, postgresStatement } from '../second-opinion/server-word.js';
import { type Database, postgresqlDialect as dialect, rowsOf } from './database.js';

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

const isPgClient = (value: unknown): value is PgClient =>
  hasMethods(value, 'query', 'escapeIdentifier', 'end');

export function pgPool(pool: PgPool): Database {
  const lend = lending(pgLender(pool));
  return {
    dialect,
    usage: () => pgUsage(pool),
    query: (sql, starter) => lend(async (client) => rowsOf(await client.query(sql)), starter),
    opinion: {
      connect: () => connectPg(property(pool, 'Client'), property(pool, 'options')),
      onLend: onAcquire(pool),
      held: () => heldByPg(pool),
    },
  };
}

function pgLender(pool: PgPool): Lender<PgPoolClient> {
  /** Connections that were made for a check. */
  const own = new WeakSet<object>();
  return {
    acquire() {
      const before = new Set(clientsOf(pool));
      const queued = new Set(queueOf(pool));
      const connection = lentBy(pool);
      const made = clientsOf(pool).find((client) => !before.has(client));
      if (isObject(made)) own.add(made);
      const place = queueOf(pool).find((item) => !queued.has(item));
      return {
        connection,
        abandon: () => abandonPg(pool, before, made, place),
        wasAccepted: () => wasAccepted(property(property(made, 'connection'), 'stream')),
        isNew: (client) => !before.has(client),
      };
    },
    release(client) {
      // An idle connection that breaks ends the process if nothing listens to the pool, which a Health does as long as it is open: we leave none.
      if (own.has(client) && call(pool, 'listenerCount', 'error') === 0) return discard(client);
      client.off('error', ignore);
      client.release();
    },
    destroy: (client) => partFromPg(client, () => discard(client)),
    usage: () => pgUsage(pool),
  };
}

/**
 * A connection on loan that breaks emits an error, and without a listener that ends the process. It is listened to in the very turn in which it is lent:
 * the server's last words may be in the bytes that made it free, and are read before a promise settles.
 */
function lentBy(pool: PgPool): Promise<PgPoolClient> {
  return new Promise((resolve, reject) => {
    const known = new Set<unknown>();
    const take = (client: unknown) => {
      if (!isPoolClient(client) || known.has(client)) return;
      known.add(client);
      client.on('error', ignore);
      resolve(client);
    };
    const promised = call(pool, 'connect', (error: unknown, client: unknown) =>
      isPoolClient(client) ? take(client) : reject(error),
    );
    // Those that take no callback.
    if (isPromise(promised)) void promised.then(take, reject);
  });
}

const isPoolClient = (value: unknown): value is PgPoolClient =>
  hasMethods(value, 'query', 'release', 'on', 'off');

/** Closes a connection on loan. The pool listens to it again, to pass an error on to the listeners of the pool. */
function discard(client: PgPoolClient): void {
  client.release(true);
  call(client, 'removeAllListeners', 'error');
  client.on('error', ignore);
}

/** pg waits forever for a server that accepts and says nothing. The pool's own timeout ends it in this way. */
function abandonPg(
  pool: PgPool,
  before: ReadonlySet<unknown>,
  made: unknown,
  place: unknown,
): ReturnType<typeof partFrom> | false {
  if (place !== undefined && queueOf(pool).includes(place)) return false;
  // The pool took the request out of its queue to connect: which connection it is, is sure only of a single new one.
  const since = clientsOf(pool).filter((client) => !before.has(client) && isConnecting(client));
  const client = made ?? (since.length === 1 ? since[0] : undefined);
  const stream = property(property(client, 'connection'), 'stream');
  if (!isConnecting(client) || !hasMethods(stream, 'destroy')) return false;
  return partFromPg(client, () => {});
}

/** Drops a connection of pg that gave no answer. Does at once what pg does when its socket closes: its pool waits for it. */
export function partFromPg(client: unknown, drop: () => unknown): ReturnType<typeof partFrom> {
  const connection = property(client, 'connection');
  return partFrom(property(connection, 'stream'), () => {
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

const isConnecting = (client: unknown) => property(client, '_connected') === false;

const clientsOf = (pool: PgPool) => listOf(property(pool, '_clients'));

const queueOf = (pool: PgPool) => listOf(property(pool, '_pendingQueue'));

const ignore = () => {};

function pgClient(client: PgClient): Database {
  const explain = unconnected('the Client could not connect, and does not try again', async () => {
    const other: object = Reflect.construct(client.constructor, [property(client, 'connectionParameters')]);
    call(other, 'on', 'error', ignore);
    await call(other, 'connect');
    call(other, 'end', ignore);
  });
  const neverConnected = () =>
    property(client, '_ended') === true && property(client, '_connected') === false;
  return {
    dialect,
    async query(sql, starter) {
      // It would keep the query forever.
      if (neverConnected()) return explain(starter);
      try {
        return rowsOf(await client.query(sql));
      } catch (thrown) {
        if (neverConnected()) return explain(starter);
        throw thrown;
      }
    },
    opinion: {
      connect: () => connectPg(client.constructor, property(client, 'connectionParameters')),
      held: () => heldAlone(client),
    },
  };
}

/** With pg's own client, but without the hooks of the pool: passwords that are functions, sockets of the file system and TLS are its business. */
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
  await call(client, 'query', dialect.ping);
}

/** Clients of a pg pool that are neither idle nor being made. */
function heldByPg(pool: PgPool): Held {
  const idle = new Set(listOf(property(pool, '_idle')).map((item) => property(item, 'client')));
  const lent = listOf(property(pool, '_clients')).filter(
    (client) => !idle.has(client) && property(client, '_connected') !== false,
  );
  return heldOf(lent);
}

export const postgresql = [kind(['pg Pool'], isPgPool, pgPool), kind(['pg Client'], isPgClient, pgClient)];
