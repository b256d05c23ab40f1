// Whatever an application passes to `watch`, each part of it is a check: a part that is absent would look healthy.
import * as fc from 'fast-check';
import Database from 'libsql';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { register } from '../../src/auto/register.js';
import { clientChecks } from '../../src/checks/clients.js';
import { Health } from 'lifesign/node';

beforeEach(() => void vi.spyOn(process.stderr, 'write').mockReturnValue(true));
afterEach(() => vi.restoreAllMocks());

const nats = () => ({ flush: async () => {}, rtt: async () => 1, isClosed: () => false, drain() {} });
const good: Readonly<Record<string, () => unknown>> = {
  db: () => new Database(':memory:'),
  redis: () => ({ ping: async () => 'PONG', customCommand: async () => '', close() {} }),
  migrations: () => ({ getMigrations: async () => [] }),
  broker: nats,
};
const bad: readonly (() => unknown)[] = [
  () => 'postgres://u:hunter2@db/x',
  () => 5,
  () => null,
  () => true,
  () => [],
  () => ({}),
  () => new Date(0),
  () => Promise.resolve(),
  () => class Client {},
  // One that has everything, and one that throws whatever it is asked.
  () => new Proxy({}, { get: () => () => undefined }),
  () => new Proxy(class {}, { get: fail, getPrototypeOf: fail }),
];

function fail(): never {
  throw new Error('not yet');
}

interface Given {
  readonly make: () => unknown;
  readonly checks: Readonly<Record<string, boolean>>;
}

/** What is passed for one option: clients that work and values that are none, one, listed or named. */
const given = (option: string): fc.Arbitrary<Given> => {
  const client = fc.constantFrom(
    ...[good[option] ?? fail, good[option] ?? fail, ...bad].map((make, index) => ({
      works: index < 2,
      make,
    })),
  );
  const name = fc.stringMatching(/^[a-z]{1,6}$/);
  return fc.oneof(
    client.map(({ works, make }) => ({ make, checks: { '': works } })),
    fc.array(client, { minLength: 1, maxLength: 3 }).map((all) => ({
      make: () => all.map(({ make }) => make()),
      checks: Object.fromEntries(all.map(({ works }, index) => [`_${index + 1}`, works])),
    })),
    fc.dictionary(name, client, { minKeys: 1, maxKeys: 3, noNullPrototype: true }).map((all) => ({
      make: () => Object.fromEntries(Object.entries(all).map(([key, { make }]) => [key, make()])),
      checks: Object.fromEntries(Object.entries(all).map(([key, { works }]) => [`_${key}`, works])),
    })),
  );
};

const own = fc.dictionary(
  fc.stringMatching(/^own[a-z]{1,4}$/),
  fc.constantFrom<unknown>(() => [], 7, null, 'x'),
);

test('every client and check that is passed is registered, and fails where it cannot be used', async () => {
  const options = fc.record(Object.fromEntries(clientChecks.map(({ option }) => [option, given(option)])), {
    requiredKeys: [],
  });
  await fc.assert(
    fc.asyncProperty(options, own, fc.boolean(), async (clients, checks, hasTypo) => {
      const health = new Health({ logger: false });
      const passed: Record<string, unknown> = { checks, ...(hasTypo && { databas: 1 }) };
      const expected: Record<string, string> = {};
      for (const [name, check] of Object.entries(checks))
        expected[name] = typeof check === 'function' ? 'ok' : 'error';
      if (hasTypo) expected['databas'] = 'error';
      for (const [option, each] of Object.entries(clients)) {
        if (each === undefined) continue;
        const { make, checks: parts } = each;
        passed[option] = make();
        const { name } = clientChecks.find((each) => each.option === option) ?? { name: '' };
        for (const [suffix, works] of Object.entries(parts)) expected[name + suffix] = works ? 'ok' : 'error';
      }
      register(health, passed);
      const { results } = await health.heartbeat();
      const statuses = Object.fromEntries(results.map(({ name, status }) => [name, status]));
      expect(statuses).toEqual(expected);
      for (const { status, messages } of results) {
        if (status === 'error') expect(messages.map(({ id }) => id)).toEqual(['health.E042']);
      }
      expect(JSON.stringify(results)).not.toContain('hunter2');
      health.close();
    }),
    { numRuns: 60 },
  );
});

test.each([undefined, null, 5, 'db', () => {}, []].map((value) => [value]))(
  'watch(%s) fails',
  async (value) => {
    const health = new Health({ logger: false });
    register(health, value);
    const { results } = await health.heartbeat();
    expect(results.map(({ name, status }) => [name, status])).toEqual([['watch', 'error']]);
  },
);

test('one client for two options, again, and another one for the same option', async () => {
  const health = new Health({ logger: false });
  const both = Object.create({ ...nats(), getMigrations: async () => [] });
  register(health, { broker: both, migrations: both });
  register(health, { broker: both });
  register(health, { broker: { again: both } });
  register(health, { broker: nats() });
  const { results } = await health.heartbeat();
  expect(results.map(({ name, status }) => [name, status])).toEqual([
    ['check_broker_connected', 'ok'],
    ['check_migrations_applied', 'ok'],
    ['check_broker_connected_2', 'ok'],
  ]);
});
