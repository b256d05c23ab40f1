import { strict as assert } from 'node:assert';
import type { Check } from 'lifesign/checks';
import { checks } from 'lifesign';
import { type Case, get, recordsOf } from '../case.js';

const thrower = (thrown: unknown) => () => {
  throw thrown;
};
const unshowable = { toString: thrower(new Error('no')) };

/** What checks throw, or never say, and what is in their message after `Check <name> `. */
const failing: readonly (readonly [odd: () => unknown, id: string, text: string])[] = [
  [thrower(new TypeError('bad')), 'health.E011', 'threw TypeError: bad'],
  [thrower('bad'), 'health.E011', 'threw bad'],
  [thrower(undefined), 'health.E011', 'threw undefined'],
  [() => Promise.reject(new Error('late')), 'health.E011', 'threw Error: late'],
  [
    thrower(new Error('connect postgres://ann:secret@db.example.com:5432/acme failed')),
    'health.E011',
    'threw Error: connect postgres://***@db.example.com:5432/acme failed',
  ],
  [thrower(unshowable), 'health.E011', 'threw something that cannot be shown'],
  [() => ({ then: thrower(new Error('then')) }), 'health.E011', 'threw Error: then'],
  [() => new Promise(() => {}), 'health.E012', 'did not answer within 50 ms'],
];
const returned: readonly (readonly [value: unknown, named: string])[] = [
  [true, 'a boolean'],
  [3, 'a number'],
  ['', 'a string'],
  [{}, 'an Object'],
  [new Map(), 'a Map'],
  [['bad'], 'a list with a string in it'],
  [[new checks.Info('i', { id: 'x' }), null], 'a list with null in it'],
  [Promise.resolve(3), 'a number'],
];
const odd = [
  ...failing,
  ...returned.map(
    ([value, named]) =>
      [
        () => value,
        'health.E014',
        `returned ${named} instead of a list of check messages; return [] if nothing is wrong`,
      ] as const,
  ),
].map(([check, id, text], index) => [`odd${index}`, check, id, text] as const);

export const misbehaviour: readonly Case[] = [
  {
    name: 'misbehaving check: what it throws, returns or never says is an Error message, beside others that report as ever',
    setup: () => ({
      options: { timeout: 50 },
      checks: [
        ['before', () => []],
        // Wrong types on purpose: callers in JavaScript have no compiler.
        ...odd.map(([name, check]) => [name, check as Check] as const),
        ['after', () => [new checks.Info('i', { id: 'a.I' })]],
      ],
    }),
    async run(host) {
      const reply = await get(host, '/__heartbeat__');
      assert.equal(reply.status, 500);
      assert.deepEqual(JSON.parse(reply.body), {
        status: 'error',
        checks: { before: 'ok', ...Object.fromEntries(odd.map(([name]) => [name, 'error'])), after: 'info' },
        details: {
          ...Object.fromEntries(
            odd.map(([name, , id, text]) => [
              name,
              { status: 'error', level: 40, messages: { [id]: `Check ${name} ${text}` } },
            ]),
          ),
          after: { status: 'info', level: 20, messages: { 'a.I': 'i' } },
        },
      });
    },
  },
  (() => {
    let runs = 0;
    let release = () => {};
    let aborted: unknown;
    return {
      name: 'misbehaving check: a hung run is aborted and not started again until it settles',
      setup: () => ({
        // It is given up after three timeouts, which have to last for the requests below.
        options: { timeout: 300 },
        checks: {
          hung({ signal }) {
            runs += 1;
            if (runs > 1) return [];
            signal.addEventListener('abort', () => {
              aborted = signal.reason;
            });
            return new Promise<void>((resolve) => {
              release = resolve;
            });
          },
        },
      }),
      async run(host) {
        runs = 0;
        const messages = async () =>
          JSON.parse((await get(host, '/__heartbeat__')).body).details.hung?.messages ?? {};
        assert.deepEqual(Object.keys(await messages()), ['health.E012']);
        assert.ok(aborted instanceof DOMException && aborted.name === 'TimeoutError');
        for (let time = 0; time < 3; time += 1) {
          const text: string = (await messages())['health.E013'];
          assert.match(
            text,
            /^Check hung did not answer within \d+ ms and has been running since \d{4}-\d\d-\d\dT[\d:.]+Z, so it was not started again$/,
          );
        }
        assert.equal(runs, 1);
        release();
        await new Promise((resolve) => setTimeout(resolve, 20));
        assert.deepEqual(await messages(), {});
        assert.equal(runs, 2);
      },
    } satisfies Case;
  })(),
  {
    name: 'misbehaving check: what it threw is in the log, without its secrets and outside the body',
    setup: () => ({ checks: { odd: thrower(new Error('redis://:secret@cache')) } }),
    async run(host) {
      const reply = await get(host, '/__heartbeat__');
      const [record] = await recordsOf(host, 'health.checks', 1);
      assert.equal(record?.msg, 'health.E011: Check odd threw Error: redis://***@cache');
      assert.ok(record.error instanceof Error);
      assert.ok(!reply.body.includes('secret') && !reply.body.includes('misbehaviour'));
    },
  },
];
