import { strict as assert } from 'node:assert';
import { checks } from 'lifesign';
import { parse, valueOf } from '../../metrics/parse.js';
import { ask, assertApplication, assertJson, type Case, get, type Reply } from '../case.js';

const textType = 'text/plain; version=0.0.4; charset=utf-8';
const failing = () => [new checks.Error('Broken', { id: 'a.E1' })];

function assertMetrics(reply: Reply): void {
  assert.equal(reply.status, 200);
  assert.equal(reply.headers['content-type'], textType);
  assert.equal(reply.headers['cache-control'], 'no-store');
  assert.equal(reply.headers['vary'], 'Accept-Encoding');
  assert.equal(reply.headers['content-length'], String(Buffer.byteLength(reply.body)));
}

export const metricsCases: readonly Case[] = [
  {
    name: 'metrics: served at their path with any query, what heartbeats said, and no check runs for them',
    setup() {
      let runs = 0;
      const counted = () => {
        runs += 1;
        return runs > 1 ? failing() : [];
      };
      return { options: { metrics: true }, checks: { counted, failing, fine: async () => [] } };
    },
    async run(host) {
      for (const end of ['', '/', '?x=1', '/?x']) assertMetrics(await get(host, `/__metrics__${end}`));
      const before = parse((await get(host, '/__metrics__')).body);
      assert.equal(valueOf(before, 'lifesign_heartbeat_level'), undefined);
      assert.equal(valueOf(before, 'lifesign_heartbeats_total', { status: 'ok' }), 0);
      assert.equal(valueOf(before, 'lifesign_build_info'), 1);
      await get(host, '/__heartbeat__');
      await get(host, '/__metrics__');
      const after = parse((await get(host, '/__metrics__')).body);
      assert.equal(valueOf(after, 'lifesign_heartbeats_total', { status: 'error' }), 1);
      assert.equal(valueOf(after, 'lifesign_heartbeat_failed'), 1);
      assert.equal(valueOf(after, 'lifesign_check_up', { check: 'counted' }), 1);
      assert.equal(valueOf(after, 'lifesign_check_up', { check: 'failing' }), 0);
      assert.equal(valueOf(after, 'lifesign_check_level', { check: 'failing' }), 40);
      assert.equal(valueOf(after, 'lifesign_check_duration_seconds_count', { check: 'fine' }), 1);
      assert.equal(valueOf(after, 'lifesign_check_runs_total', { check: 'counted', status: 'ok' }), 1);
    },
  },
  {
    name: 'metrics: HEAD, OPTIONS and other methods as of the endpoints; nothing else is matched',
    setup: () => ({ options: { metrics: true } }),
    async run(host) {
      const head = await ask(host, 'HEAD', '/__metrics__');
      assert.deepEqual([head.status, head.body, head.headers['content-type']], [200, '', textType]);
      assert.ok(Number(head.headers['content-length']) > 100);
      const options = await ask(host, 'OPTIONS', '/__metrics__');
      assert.deepEqual([options.status, options.headers['allow']], [204, 'GET, HEAD, OPTIONS']);
      assertJson(await ask(host, 'DELETE', '/__metrics__/'), 405, '{"error":"method not allowed"}');
      for (const other of ['/__metrics__x', '/__metrics__/x', '/__metrics__//', '/__METRICS__', '/metrics']) {
        assertApplication(await get(host, other));
      }
    },
  },
  {
    name: 'metrics: hidden from those who may not see details',
    setup: () => ({ options: { metrics: true, details: false } }),
    async run(host) {
      assertJson(
        await get(host, '/__metrics__'),
        403,
        '{"error":"the metrics are hidden by the details option"}',
      );
      assert.equal((await ask(host, 'HEAD', '/__metrics__')).body, '');
    },
  },
];
