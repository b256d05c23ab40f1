// What is not a client is refused at start, and none of its functions is called: one of them may be `purge`.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LifesignError } from 'lifesign';
import { mongo, progress } from 'lifesign/checks';
import { Health } from 'lifesign/node';

const clientOptions = ['db', 'redis', 'migrations', 'broker'] as const;

/** Names of methods that clients have, and of those that brokers of applications have. */
const words =
  'publish subscribe purge close end destroy drop flush connect send emit query ping promise connection getConnection on once get stats consume ack nack work stop pause isPaused run info fetch lastDate getStatus then'.split(
    ' ',
  );

/** An object of closures, and how often one was called. */
function closures(names: readonly string[]) {
  const called: string[] = [];
  const made = Object.fromEntries(names.map((name) => [name, () => void called.push(name)]));
  return { made, called };
}

/** Whatever is made of a value: an object, one of a class, one without a prototype, a function with these methods, a member of each. */
const forms: Readonly<Record<string, (made: object) => unknown>> = {
  plain: (made) => made,
  instance: (made) => Object.assign(Object.create({ constructor: class Broker {} }), made),
  bare: (made) => Object.assign(Object.create(null), made),
  named: (made) => ({ orders: made }),
  listed: (made) => [made],
  frozen: (made) => Object.freeze(made),
};

async function refused(make: () => unknown): Promise<boolean> {
  try {
    make();
    return false;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(LifesignError);
    return true;
  }
}

test('an object of closures is refused by every option, and none of them is called', async () => {
  const names = fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      names,
      fc.constantFrom(...Object.keys(forms)),
      fc.constantFrom(...clientOptions),
      async (list, form, option) => {
        const { made, called } = closures(list);
        const value = forms[form]?.(made);
        // A few of these words are the whole shape of a client: that one is recognised.
        fc.pre(await refused(() => new Health({ logger: false, [option]: made })));
        const makers = [
          () => new Health({ logger: false, [option]: value }),
          () => progress({ consumer: value as never, queue: 'q', stalledAfter: 1000 }),
        ];
        for (const make of makers) expect(await refused(make)).toBe(true);
        await new Promise(setImmediate);
        expect(called).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});

test('the broker of an application: four methods, none called', async () => {
  const { made, called } = closures(['publish', 'subscribe', 'purge', 'close']);
  expect(() => new Health({ broker: made as never })).toThrow(
    'Option broker.publish is a function in an object, which may be a method of your code, so it is not called. ' +
      'Write the client itself, or a list of functions that return clients: broker: [() => connection].',
  );
  await new Promise(setImmediate);
  expect(called).toEqual([]);
});

test('one with a client among its methods is refused, too', () => {
  const nats = { flush: async () => {}, rtt: async () => 1, isClosed: () => false, drain() {} };
  expect(() => new Health({ broker: { connection: nats, close() {} } as never })).toThrow(
    'Option broker.close',
  );
  expect(new Health({ broker: { connection: nats }, logger: false })).toBeDefined();
});

test('what has every property, or throws for each, is not a client of any kind', () => {
  const called: unknown[] = [];
  const answer = (deep: boolean): unknown =>
    new Proxy(() => {}, {
      get: (_target, name) => (deep ? answer(true) : () => called.push(name)),
      has: () => true,
      apply: () => called.push('itself'),
    });
  const throwing = (target: object) =>
    new Proxy(target, {
      get() {
        throw new Error('not yet');
      },
    });
  const values = [
    answer(false),
    answer(true),
    new Proxy({}, { get: () => answer(true), has: () => true }),
    throwing({}),
    throwing(() => {}),
  ];
  for (const value of values) {
    for (const option of clientOptions) {
      expect(() => new Health({ [option]: value })).toThrow(/^Option \w+ is /);
    }
    const client = value as never;
    expect(() => progress({ consumer: client, queue: 'q', stalledAfter: 1 })).toThrow(LifesignError);
    expect(() => mongo(client)).toThrow(LifesignError);
  }
  expect(called).toEqual([]);
});
