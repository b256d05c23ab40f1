import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  askServer,
  closeDead,
  mysqlStatement,
  opinionOn,
  postgresStatement,
  type SessionState,
} from '../../../src/checks/second-opinion/server-word.js';

const held = { ids: [1, 2, 3, 4], waiting: [], idleAfter: 10_000, pooled: true };
const noRequest = () => false;
const state = (id: number, more: Partial<SessionState> = {}): SessionState => ({
  id,
  running: false,
  locked: false,
  holder: undefined,
  since: 60_000,
  ...more,
});
const rows = (...more: readonly object[]) => [{ id: 9, own: true, running: true }, ...more];

it.each([
  [
    'all run, three wait for a lock',
    [1, 2, 3]
      .map((id) => state(id, { running: true, locked: true, holder: 4711 }))
      .concat(state(4, { running: true })),
    'shared',
    '4 of 4 are running queries, 3 of them wait for a lock held by pid 4711',
  ],
  [
    'they wait for each other and for one more',
    [
      state(1, { running: true, locked: true, holder: 2 }),
      state(2, { running: true, locked: true, holder: 7 }),
    ],
    'shared',
    '2 of 4 are running queries, 2 of them wait for a lock held by pid 7',
  ],
  [
    'all idle for long',
    [1, 2, 3, 4].map((id) => state(id)),
    'instance',
    'leaked or dead: 4 of 4 run no query; a fresh connection works',
  ],
  [
    'one was used just now',
    [1, 2, 3].map((id) => state(id)).concat(state(4, { since: 9999 })),
    'shared',
    '1 of 4 ran a query within the last 10 s',
  ],
  [
    'unknown to the server',
    [],
    'instance',
    'leaked or dead: the server does not know 4 of 4; a fresh connection works',
  ],
])('%s', (_name, states, scope, evidence) => {
  expect(opinionOn(held, states, noRequest)).toEqual({ scope, evidence });
});

it('a request that may hold a connection without a query keeps the instance in, also if the server has closed it', () => {
  const idle = [1, 2, 3, 4].map((id) => state(id, { since: 10_000 + id }));
  const asked: number[] = [];
  const mayBeHeld = (idleFor: number) => asked.push(idleFor) > 0;
  expect(opinionOn(held, idle, mayBeHeld)).toEqual({
    scope: 'shared',
    evidence: 'requests may hold the 4 connections, which run no query',
  });
  // The last query of all: later requests may hold none of them.
  expect(asked).toEqual([10_001]);
  expect(opinionOn(held, [], mayBeHeld).scope).toBe('shared');
  expect(asked).toEqual([10_001, Infinity]);
  // One that everything shares is held by no request.
  expect(opinionOn({ ...held, pooled: false }, idle, mayBeHeld).scope).toBe('instance');
});

it('whatever the server says, only connections without a query take an instance out', () => {
  const anyState = fc.record({
    id: fc.constantFrom(1, 2, 3, 4),
    running: fc.boolean(),
    locked: fc.boolean(),
    holder: fc.option(fc.nat(), { nil: undefined }),
    since: fc.oneof(fc.nat(20_000), fc.constant(Number.NaN)),
  });
  fc.assert(
    fc.property(fc.uniqueArray(anyState, { maxLength: 4, selector: ({ id }) => id }), (states) => {
      const { scope, evidence } = opinionOn(held, states, noRequest);
      const isOwn = states.every(({ running, since }) => !running && since >= 10_000);
      expect(scope).toBe(isOwn ? 'instance' : 'shared');
      expect(evidence.length).toBeLessThan(130);
    }),
  );
});

it.each([
  ['a proxy has numbers of its own', 7, rows(state(1))],
  ['its own connection is not shown', 9, [state(1)]],
  ['states are hidden', 9, rows({ ...state(1), running: null })],
])('nothing is known where %s', async (_name, id, answered) => {
  const inquiry = { id: () => id, query: async () => answered as never, statement: postgresStatement };
  expect(await askServer(inquiry, held)).toBeUndefined();
});

it('answers of every driver are read', async () => {
  const answered = rows({ id: 1n, running: '1', locked: 0, holder: null, since: '12.5' });
  const inquiry = { id: () => 9n, query: async () => answered as never, statement: mysqlStatement };
  expect(await askServer(inquiry, held)).toEqual([state(1, { running: true, since: 12_500 })]);
});

it('numbers only are in a statement, and no text of a query is asked for', async () => {
  let asked = 0;
  const query = async () => {
    asked += 1;
    return [];
  };
  for (const ids of [[], [Number.NaN], [1.5], ['1); DROP TABLE x' as never]]) {
    const inquiry = { id: () => 9, query, statement: postgresStatement };
    expect(await askServer(inquiry, { ids, waiting: [], idleAfter: 1, pooled: true })).toBeUndefined();
  }
  expect(asked).toBe(0);
  expect(postgresStatement([4, 5])).toMatch(/pid IN \(4,5,pg_backend_pid\(\)\)$/);
  expect(postgresStatement([4])).not.toMatch(/\bquery\b/);
  expect(mysqlStatement([4])).not.toMatch(/\binfo\b/i);
});

it('connections are closed whose answer will never come, and no others', () => {
  const closed: number[] = [];
  const waiting = [1, 2, 3, 4, 5].map((id) => ({
    id,
    isWaiting: () => id !== 5,
    close: () => void closed.push(id),
  }));
  // Idle for long, running, used just now, unknown, answered meanwhile.
  const states = [state(1), state(2, { running: true }), state(3, { since: 9000 }), state(5)];
  expect(closeDead({ ...held, waiting }, states)).toBe(2);
  expect(closed).toEqual([1, 4]);
});
