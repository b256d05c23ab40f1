import { strict as assert } from 'node:assert';
import { checks, type HeartbeatEvent } from 'lifesign';
import { ask, assertApplication, assertHeaders, assertJson, type Case, get, recordsOf } from '../case.js';

const { Error: ErrorMessage, Warning } = checks;
const groups = { payments: ['stripe', 'database'], search: ['index'] };
const all = {
  database: () => [],
  index: () => [new ErrorMessage('No index', { id: 'a.E1' })],
  stripe: async () => [new Warning('Slow', { id: 'a.W1' })],
  mail: () => [],
};
const details = '{"status":"warning","level":30,"messages":{"a.W1":"Slow"}}';
const payments = `{"status":"warning","checks":{"database":"ok","stripe":"warning"},"details":{"stripe":${details}}}`;

export const groupCases: readonly Case[] = [
  {
    name: 'groups: each is served on a path of its own, the heartbeat has every check',
    setup: () => ({ options: { groups }, checks: all }),
    async run(host) {
      for (const target of ['', '/', '?x=1', '/?x'].map((end) => `/__heartbeat__/payments${end}`)) {
        assertJson(await get(host, target), 500, payments);
      }
      const { checks: found } = JSON.parse((await get(host, '/__heartbeat__')).body);
      assert.deepEqual(Object.keys(found), ['database', 'index', 'stripe', 'mail']);
      assert.equal(JSON.parse((await get(host, '/__heartbeat__/search')).body).status, 'error');
    },
  },
  {
    name: 'groups: by exactly their paths, and methods as on the heartbeat',
    setup: () => ({ options: { groups }, checks: all }),
    async run(host) {
      const others = [
        'payment',
        'payments2',
        'PAYMENTS',
        'payments//',
        'payments/x',
        '%70ayments',
        'stripe',
        'toString',
        '__proto__',
      ];
      for (const other of others) assertApplication(await get(host, `/__heartbeat__/${other}`));
      for (const path of [
        '/payments',
        '/__heartbeat__payments',
        '/__lbheartbeat__/payments',
        '/__version__/payments',
      ]) {
        assertApplication(await get(host, path));
      }
      for (const method of ['HEAD', 'OPTIONS', 'POST', 'DELETE']) {
        const [group, whole] = [
          await ask(host, method, '/__heartbeat__/payments'),
          await ask(host, method, '/__heartbeat__'),
        ];
        assert.deepEqual([group.status, group.headers['allow']], [whole.status, whole.headers['allow']]);
        assert.equal(group.body, whole.body);
      }
      assertHeaders(await ask(host, 'HEAD', '/__heartbeat__/payments'), payments.length);
    },
  },
  {
    name: 'groups: messages are logged, a summary is one of the health endpoints, no signal is sent',
    setup: () => ({ options: { groups, summary: { healthEndpoints: false } }, checks: all }),
    async run(host) {
      const heard: HeartbeatEvent[] = [];
      host.health.on('heartbeatFailed', (event) => heard.push(event));
      await get(host, '/__heartbeat__/payments');
      const [record] = await recordsOf(host, 'health.checks', 1);
      assert.equal(record?.msg, 'a.W1: Slow');
      await get(host, '/');
      const [only] = await recordsOf(host, 'request.summary', 1);
      assert.equal(only?.fields['path'], '/');
      assert.equal(heard.length, 0);
    },
  },
];
