import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { checkDatabaseConnected } from 'lifesign/checks';
import { say, until } from '../say.js';

const connected = (client: unknown) => checkDatabaseConnected(client as never);
const unused = () => {};

/** A connection that is being made, and what became of its socket. */
const connecting = () => ({ _connected: false, connection: { stream: { destroy: vi.fn() } } });

it.each<[string, (clients: object[], queue: object[]) => object, boolean]>([
  [
    'left alone while it waits in the queue',
    (clients, queue) => {
      const others = connecting();
      queue.push({});
      queueMicrotask(() => clients.push(others));
      return others;
    },
    false,
  ],
  [
    'ended where it is the only new one',
    (clients) => {
      const own = connecting();
      queueMicrotask(() => clients.push(own));
      return own;
    },
    true,
  ],
  [
    'left alone where there are two new ones',
    (clients) => {
      const own = connecting();
      queueMicrotask(() => clients.push(own, connecting()));
      return own;
    },
    false,
  ],
  [
    'left alone where it is connected by now',
    (clients) => {
      const own = connecting();
      clients.push(own);
      queueMicrotask(() => Object.assign(own, { _connected: true }));
      return own;
    },
    false,
  ],
])('the connection of an abandoned request to a pg Pool is %s', async (_what, ask, ended) => {
  const clients: object[] = [];
  const queue: object[] = [];
  const requests: object[] = [];
  const pool = Object.assign(new EventEmitter(), {
    connect: () => void requests.push(ask(clients, queue)),
    query: unused,
    totalCount: 3,
    idleCount: 1,
    waitingCount: 0,
    _clients: clients,
    _pendingQueue: queue,
  });
  const check = connected(pool);
  // Another is made once the first one is abandoned.
  await until(async () => {
    await say(check, 4);
    expect(requests.length).toBeGreaterThan(1);
  });
  const { stream } = Object(Reflect.get(Object(requests[0]), 'connection'));
  expect(stream.destroy.mock.calls.length > 0).toBe(ended);
});

const mikro = (connection: object) => ({
  em: { getConnection: () => connection, fork: unused },
  isConnected: unused,
});
const lucid = { getReadClient: unused, getWriteClient: unused };
const lent = {
  getConnection: async () => ({ promise: unused }),
  releaseConnection: unused,
  destroyConnection: unused,
};
const sequelize = {
  authenticate: unused,
  getDialect: () => 'mysql',
  query: async () => [[], {}],
  define: unused,
  connectionManager: lent,
};
const neither = 'the underlying client is neither Knex nor Kysely';

it.each<[string, object, string]>([
  ['MikroORM over something else', mikro({ getClient: () => ({}) }), neither],
  ['MikroORM over documents', mikro({}), 'this MikroORM has no SQL driver'],
  ['Lucid over something else', lucid, neither],
  ['Sequelize over what cannot be asked', sequelize, 'the connection does not accept queries'],
])('%s is misconfigured', async (_what, client, text) => {
  expect(await say(connected(client))).toEqual([`Error health.E003: Database misconfigured: ${text}`]);
});
