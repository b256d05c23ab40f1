import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { checkDatabaseConnected } from 'lifesign/checks';
import { turn } from '../../core/waiting.js';
import { say, until } from '../say.js';

const connected = (client: unknown) => checkDatabaseConnected(client as never);
const unused = () => {};

/** A connection that is being made, and what became of its socket. */
const connecting = () => ({ _connected: false, connection: { stream: { destroy: vi.fn() } } });

it.each([
  ['ended', false],
  ['left alone where it is connected by now', true],
])('the connection of an abandoned request to a pg Pool is %s', async (_what, connects) => {
  const clients: ReturnType<typeof connecting>[] = [];
  const pool = Object.assign(new EventEmitter(), {
    connect() {
      const own = connecting();
      clients.push(own);
      if (connects) queueMicrotask(() => Object.assign(own, { _connected: true }));
    },
    query: unused,
    totalCount: 3,
    idleCount: 1,
    waitingCount: 0,
    _clients: clients,
  });
  const check = connected(pool);
  // Another is made once the first one is abandoned.
  await until(async () => {
    await say(check, 4);
    expect(clients.length).toBeGreaterThan(1);
  });
  expect(clients[0]?.connection.stream.destroy.mock.calls.length === 0).toBe(connects);
});

it('a run that is abandoned while it still waits for a connection leaves its request to the next run', async () => {
  const granted: ((client: object) => void)[] = [];
  const pool = Object.assign(new EventEmitter(), {
    connect: (done: (error: undefined, client: object) => void) =>
      void granted.push((client) => done(undefined, client)),
    query: unused,
    totalCount: 0,
    idleCount: 0,
    waitingCount: 0,
  });
  const check = connected(pool);
  const [first, second] = [new AbortController(), new AbortController()];
  const run = ({ signal }: AbortController) => check({ name: 'db', signal });
  const before = run(first);
  await turn();
  first.abort();
  const after = run(second);
  await turn();
  expect(granted).toHaveLength(1);
  const release = vi.fn();
  const query = async () => ({ rows: [] });
  granted[0]?.(Object.assign(new EventEmitter(), { query, release }));
  expect(await after).toEqual([]);
  expect(await before).toEqual([expect.objectContaining({ id: 'health.E002' })]);
  expect(release).toHaveBeenCalledOnce();
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
  ['MikroORM over documents', mikro({}), neither],
  ['Lucid over something else', lucid, neither],
  ['Sequelize over what cannot be asked', sequelize, 'the connection does not accept queries'],
])('%s is misconfigured', async (_what, client, text) => {
  expect(await say(connected(client))).toEqual([`Error health.E003: Database misconfigured: ${text}`]);
});
