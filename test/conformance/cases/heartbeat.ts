import { strict as assert } from 'node:assert';
import { checks, type HeartbeatEvent, signals } from 'lifesign';
import { ask, assertHeaders, assertJson, type Case, get, recordsOf } from '../case.js';

const { Critical, Debug, Error: ErrorMessage, Info, Warning } = checks;

/** What a message of each kind comes to: SPEC 7 and DESIGN 2. */
const kinds = [
  [Debug, 'debug', 10, 200],
  [Info, 'info', 20, 200],
  [Warning, 'warning', 30, 500],
  [ErrorMessage, 'error', 40, 500],
  [Critical, 'critical', 50, 500],
] as const;

const warning = { slow: () => [new Warning('Slow', { id: 'a.W1' })] };
const warningBody =
  '{"status":"warning","checks":{"slow":"warning"},"details":{"slow":{"status":"warning","level":30,"messages":{"a.W1":"Slow"}}}}';

export const heartbeat: readonly Case[] = [
  {
    name: 'heartbeat: no checks is ok, and a bound function is a check of its own name',
    async run(host) {
      assertJson(await get(host, '/__heartbeat__'), 200, '{"status":"ok","checks":{},"details":{}}');
      const storage = { reachable: () => [] };
      host.health.check(storage.reachable.bind(storage).bind(storage));
      assertJson(
        await get(host, '/__heartbeat__'),
        200,
        '{"status":"ok","checks":{"reachable":"ok"},"details":{}}',
      );
    },
  },
  {
    name: 'heartbeat: every check passes, synchronous and asynchronous, in the order of registration',
    setup: () => ({
      checks: [
        ['zeta', () => []],
        ['alpha', async () => []],
        ['10', () => undefined],
        ['9', async () => null],
        ['__proto__', () => []],
        ['with "quotes" and ü', () => []],
      ],
    }),
    async run(host) {
      assertJson(
        await get(host, '/__heartbeat__'),
        200,
        '{"status":"ok","checks":{"zeta":"ok","alpha":"ok","10":"ok","9":"ok","__proto__":"ok","with \\"quotes\\" and ü":"ok"},"details":{}}',
      );
    },
  },
  {
    name: 'heartbeat: each kind of message has its level and its status code',
    setup: () => ({
      options: { groups: Object.fromEntries(kinds.map(([, word]) => [word, ['fine', word]])) },
      checks: {
        fine: () => [],
        ...Object.fromEntries(
          kinds.map(([Kind, word]) => [
            word,
            () => [new Kind('text', { id: 'a.X1', hint: 'not in the report' })],
          ]),
        ),
      },
    }),
    async run(host) {
      for (const [, word, level, status] of kinds) {
        assertJson(
          await get(host, `/__heartbeat__/${word}`),
          status,
          `{"status":"${word}","checks":{"fine":"ok","${word}":"${word}"},"details":{"${word}":{"status":"${word}","level":${level},"messages":{"a.X1":"text"}}}}`,
        );
      }
    },
  },
  {
    name: 'heartbeat: messages with one id are all there, one message is a list, checks get their name and a signal',
    setup: () => ({
      checks: {
        twice: () => ['1', '2', '3'].map((text) => new Info(text, { id: 'a.I' })),
        one: async () => new Warning('Slow', { id: 'a.W1' }),
        asked: ({ name, signal }) => [new Info(`${name} ${signal.aborted}`, { id: 'a.I' })],
      },
    }),
    async run(host) {
      const { details } = JSON.parse((await get(host, '/__heartbeat__')).body);
      assert.deepEqual(details.twice.messages, { 'a.I': '1', 'a.I#2': '2', 'a.I#3': '3' });
      assert.deepEqual(details.one.messages, { 'a.W1': 'Slow' });
      assert.deepEqual(details.asked.messages, { 'a.I': 'asked false' });
    },
  },
  (() => {
    let runs = 0;
    return {
      name: 'heartbeat: every check runs on each request, and only on GET and HEAD',
      setup: () => ({
        checks: {
          counted() {
            runs += 1;
          },
        },
      }),
      async run(host) {
        runs = 0;
        for (let time = 0; time < 3; time += 1) await get(host, '/__heartbeat__');
        assert.equal(runs, 3);
        await ask(host, 'HEAD', '/__heartbeat__');
        assert.equal(runs, 4);
        for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) await ask(host, method, '/__heartbeat__');
        assert.equal(runs, 4);
      },
    } satisfies Case;
  })(),
  {
    name: 'heartbeat: checks run side by side',
    // Each waits for the other: one after the other they would time out.
    setup: () => {
      const arrived: (() => void)[] = [];
      const meet = () =>
        new Promise<void>((resolve) => {
          arrived.push(resolve);
          if (arrived.length === 2) for (const go of arrived) go();
        });
      return { options: { timeout: 4000 }, checks: { first: meet, second: meet } };
    },
    async run(host) {
      assert.equal((await get(host, '/__heartbeat__')).status, 200);
    },
  },
  {
    name: 'heartbeat: failLevel says which levels fail',
    setup: () => ({ options: { failLevel: 'error' }, checks: warning }),
    async run(host) {
      assertJson(await get(host, '/__heartbeat__'), 200, warningBody);
    },
  },
  {
    name: 'heartbeat: failedStatusCode is the status code of a failure and of nothing else; HEAD has it, and no body',
    setup: () => ({ options: { failedStatusCode: 503 }, checks: warning }),
    async run(host) {
      assertJson(await get(host, '/__heartbeat__'), 503, warningBody);
      assert.equal((await get(host, '/__lbheartbeat__')).status, 200);
      const head = await ask(host, 'HEAD', '/__heartbeat__');
      assert.deepEqual([head.status, head.body], [503, '']);
      assertHeaders(head, warningBody.length);
    },
  },
  {
    name: 'heartbeat: details false shows the status alone, and the cause is in the log',
    setup: () => ({ options: { details: false }, checks: warning }),
    async run(host) {
      assertJson(await get(host, '/__heartbeat__'), 500, '{"status":"warning"}');
      const [record] = await recordsOf(host, 'health.checks', 1);
      assert.equal(record?.msg, 'a.W1: Slow');
    },
  },
  {
    name: 'heartbeat: details may depend on the request; a predicate that throws hides them',
    setup: () => ({
      options: {
        details(request: unknown) {
          const headers: unknown = typeof request === 'object' && request && Reflect.get(request, 'headers');
          const asked =
            headers instanceof Headers
              ? headers.get('x-show')
              : typeof headers === 'object' && headers && Reflect.get(headers, 'x-show');
          if (asked === 'throw') throw new Error('no');
          return asked === 'yes';
        },
      },
      checks: warning,
    }),
    async run(host) {
      assertJson(await get(host, '/__heartbeat__', { 'X-Show': 'yes' }), 500, warningBody);
      assertJson(await get(host, '/__heartbeat__', { 'X-Show': 'no' }), 500, '{"status":"warning"}');
      assertJson(await get(host, '/__heartbeat__', { 'X-Show': 'throw' }), 500, '{"status":"warning"}');
    },
  },
  {
    name: 'heartbeat: each message is logged at its own level with its check, its hint and the request id',
    setup: () => ({
      checks: {
        talkative: () => [new Debug('d', { id: 'a.D' }), new Critical('c', { id: 'a.C', hint: 'call Ann' })],
        quiet: () => [],
      },
    }),
    async run(host) {
      await get(host, '/__heartbeat__', { 'X-Request-Id': 'night-1' });
      const [first, second] = await recordsOf(host, 'health.checks', 2);
      assert.equal(first?.level, 10);
      assert.equal(first.msg, 'a.D: d');
      assert.deepEqual(first.fields, { check: 'talkative', rid: 'night-1' });
      assert.equal(second?.level, 50);
      assert.equal(second.msg, 'a.C: c');
      assert.deepEqual(second.fields, { check: 'talkative', rid: 'night-1', hint: 'call Ann' });
    },
  },
  {
    name: 'signals: heartbeatFailed and heartbeatPassed, with the level, on the object and module-wide',
    setup: () => ({ checks: warning }),
    async run(host) {
      const heard: [string, HeartbeatEvent][] = [];
      const wide = (event: HeartbeatEvent) => event.health === host.health && heard.push(['wide', event]);
      signals.on('heartbeatFailed', wide);
      host.health.on('heartbeatFailed', (event) => heard.push(['own', event]));
      host.health.on('heartbeatPassed', (event) => heard.push(['passed', event]));
      host.health.on('heartbeatFailed', () => {
        throw new Error('a listener that throws breaks nothing');
      });
      host.health.on('heartbeatFailed', () => Promise.reject(new Error('nor one that rejects')));
      assertJson(await get(host, '/__heartbeat__'), 500, warningBody);
      signals.off('heartbeatFailed', wide);
      assert.deepEqual(
        heard.map(([who]) => who),
        ['own', 'wide'],
      );
      for (const [, event] of heard) {
        assert.equal(event.level, 30);
        assert.equal(event.status, 'warning');
        assert.deepEqual(event.report, JSON.parse(warningBody));
        assert.equal(event.health, host.health);
      }
      const records = await recordsOf(host, 'health', 2);
      assert.deepEqual(
        records.map(({ msg }) => msg),
        Array(2).fill('A listener for heartbeatFailed threw'),
      );
    },
  },
  {
    name: 'signals: an info passes, at level 20',
    setup: () => ({ checks: { i: () => [new Info('i', { id: 'a.I' })] } }),
    async run(host) {
      const heard: number[] = [];
      host.health.once('heartbeatPassed', ({ level: reached }) => heard.push(reached));
      host.health.once('heartbeatFailed', () => heard.push(-1));
      await get(host, '/__heartbeat__');
      await get(host, '/__heartbeat__');
      assert.deepEqual(heard, [20]);
    },
  },
];
