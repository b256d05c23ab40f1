import { strict as assert } from 'node:assert';
import type { Check } from 'lifesign/checks';
import { checks } from 'lifesign';
import { type Case, get, recordsOf } from '../case.js';

/** A check that misbehaves becomes an Error message, beside others that report as ever. */
const becomes = (what: string, odd: () => unknown, id: string, text: string): Case => ({
  name: `misbehaving check: ${what} is ${id}`,
  setup: () => ({
    options: { timeout: 50 },
    // Wrong types on purpose: callers in JavaScript have no compiler.
    checks: { before: () => [], odd: odd as Check, after: () => [new checks.Info('i', { id: 'a.I' })] },
  }),
  async run(host) {
    const reply = await get(host, '/__heartbeat__');
    assert.equal(reply.status, 500);
    assert.deepEqual(JSON.parse(reply.body), {
      status: 'error',
      checks: { before: 'ok', odd: 'error', after: 'info' },
      details: {
        odd: { status: 'error', level: 40, messages: { [id]: text } },
        after: { status: 'info', level: 20, messages: { 'a.I': 'i' } },
      },
    });
  },
});

const returns = (what: string, value: unknown, named: string): Case =>
  becomes(
    `returning ${what}`,
    () => value,
    'health.E014',
    `Check odd returned ${named} instead of a list of check messages; return [] if nothing is wrong`,
  );

const thrower = (thrown: unknown) => () => {
  throw thrown;
};

export const misbehaviour: readonly Case[] = [
  becomes('throwing', thrower(new TypeError('bad')), 'health.E011', 'Check odd threw TypeError: bad'),
  becomes('throwing a string', thrower('bad'), 'health.E011', 'Check odd threw bad'),
  becomes('throwing undefined', thrower(undefined), 'health.E011', 'Check odd threw undefined'),
  becomes('rejecting', () => Promise.reject(new Error('late')), 'health.E011', 'Check odd threw Error: late'),
  becomes(
    'throwing a connection string',
    thrower(new Error('connect postgres://ann:secret@db.example.com:5432/acme failed')),
    'health.E011',
    'Check odd threw Error: connect postgres://***@db.example.com:5432/acme failed',
  ),
  becomes(
    'throwing something that cannot be shown',
    thrower({
      toString() {
        throw new Error('no');
      },
    }),
    'health.E011',
    'Check odd threw something that cannot be shown',
  ),
  becomes(
    'a broken thenable',
    () => ({ then: thrower(new Error('then')) }),
    'health.E011',
    'Check odd threw Error: then',
  ),
  becomes('hanging', () => new Promise(() => {}), 'health.E012', 'Check odd did not answer within 50 ms'),
  returns('true', true, 'a boolean'),
  returns('a number', 3, 'a number'),
  returns('a string', '', 'a string'),
  returns('a plain object', {}, 'an Object'),
  returns('a map', new Map(), 'a Map'),
  returns('a list of strings', ['bad'], 'a list with a string in it'),
  returns('a list with null', [new checks.Info('i', { id: 'x' }), null], 'a list with null in it'),
  returns('a promise of a number', Promise.resolve(3), 'a number'),
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
