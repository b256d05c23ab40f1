import { strict as assert } from 'node:assert';
import { checks } from 'lifesign';
import { parse, valueOf } from '../../metrics/parse.js';
import { ask, assertApplication, assertJson, type Case, get, recordsOf, type Reply } from '../case.js';
import type { RunningHost } from '../host.js';

const textType = 'text/plain; version=0.0.4; charset=utf-8';
const openType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const failing = () => [new checks.Error('Broken', { id: 'a.E1' })];

function assertMetrics(reply: Reply, type = textType): void {
  assert.equal(reply.status, 200);
  assert.equal(reply.headers['content-type'], type);
  assert.equal(reply.headers['cache-control'], 'no-store');
  assert.equal(reply.headers['vary'], 'Accept, Accept-Encoding');
  assert.equal(reply.headers['content-length'], String(Buffer.byteLength(reply.body)));
}

/** The metrics once a series has a value: the end of a request is told after its answer. */
async function until(host: RunningHost, name: string, labels: Record<string, string>, value: number) {
  for (let turn = 0; turn < 500; turn += 1) {
    const families = parse((await get(host, '/__metrics__')).body);
    if (valueOf(families, name, labels) === value) return families;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${name}${JSON.stringify(labels)} never was ${value}`);
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
    name: 'metrics: OpenMetrics where Accept asks for it',
    setup: () => ({ options: { metrics: { path: '/ops/metrics' } }, checks: { failing } }),
    async run(host) {
      await get(host, '/__heartbeat__');
      const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
      const reply = await get(host, '/ops/metrics', { Accept: accept });
      assertMetrics(reply, openType);
      const families = parse(reply.body, 'openmetrics');
      assert.equal(families.get('lifesign_heartbeats')?.type, 'counter');
      assert.equal(families.get('lifesign_build')?.type, 'info');
      assertMetrics(
        await get(host, '/ops/metrics', { Accept: 'application/openmetrics-text;q=0.1, text/plain' }),
      );
      assertApplication(await get(host, '/__metrics__'));
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
    name: 'metrics: none without the option',
    run: async (host) => assertApplication(await get(host, '/__metrics__')),
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
  {
    name: 'metrics: a scrape has its request.summary, as an endpoint of lifesign',
    setup: () => ({ options: { metrics: true, summary: { ignore: ['/*'] } } }),
    async run(host) {
      await get(host, '/__metrics__');
      const [summary] = await recordsOf(host, 'request.summary', 1);
      assert.deepEqual([summary?.fields['path'], summary?.fields['code']], ['/__metrics__', 200]);
    },
  },
  {
    name: 'metrics: requests of the application are counted by route and code, without summaries too; probes are not',
    setup: () => ({ options: { metrics: { requests: true }, summary: false } }),
    async run(host) {
      await get(host, '/');
      await get(host, '/?secret=1');
      await ask(host, 'POST', '/echo');
      await ask(host, 'PROPFIND', '/no/such/path/1');
      await get(host, '/no/such/path/2');
      await get(host, '/no/such/path/3');
      await get(host, '/__lbheartbeat__');
      const series = 'http_server_request_duration_seconds_count';
      const families = await until(host, series, { method: 'GET', code: '404', route: 'unknown' }, 2);
      assert.equal(valueOf(families, series, { method: 'GET', code: '200' }), 2);
      assert.equal(valueOf(families, series, { method: 'POST', code: '201' }), 1);
      assert.equal(valueOf(families, series, { method: '_OTHER', code: '404', route: 'unknown' }), 1);
      const samples = families.get('http_server_request_duration_seconds')?.samples ?? [];
      const routes = new Set(samples.map(({ labels }) => labels['route']));
      for (const route of routes) assert.ok(['/', '/echo', 'unknown'].includes(route ?? ''), route);
      const counted = samples
        .filter(({ name }) => name === series)
        .reduce((sum, { value }) => sum + value, 0);
      assert.equal(counted, 6);
    },
  },
];
