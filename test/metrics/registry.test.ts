import * as successor from '@prometheus-io/client';
import * as predecessor from 'prom-client';
import { describe, expect, test } from 'vitest';
import { checks } from 'lifesign';
import { makeHealth } from './make.js';
import { parse, valueOf } from './parse.js';

/** The registry separates families by an empty line. */
const read = (body: string) =>
  parse(
    `${body.replaceAll('\n\n', '\n').trimEnd()}\n`.replace(/^# HELP (\S+) .*\n# TYPE \1 .*\n(?=#|$)/gm, ''),
  );

// Their types are the same and unlike each other.
const clients: readonly (readonly [string, typeof predecessor])[] = [
  ['prom-client', predecessor],
  ['@prometheus-io/client', successor as unknown as typeof predecessor],
];

describe.each(clients)('%s', (_, { Registry, Counter, register, collectDefaultMetrics }) => {
  test('its default metrics are there once, whether they come before us or after us', async () => {
    for (const order of ['before', 'after'] as const) {
      const registry = new Registry();
      if (order === 'before') collectDefaultMetrics({ register: registry });
      const { health } = makeHealth({ metrics: { registry } });
      if (order === 'after') collectDefaultMetrics({ register: registry });
      const body = await registry.metrics();
      const declared = [...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
      expect(declared).toEqual([...new Set(declared)]);
      expect(declared).toEqual(
        expect.arrayContaining(['nodejs_heap_size_used_bytes', 'lifesign_heartbeats_total']),
      );
      health.close();
    }
  });

  test('its registry prints our series among its own, and its global one is not touched', async () => {
    const registry = new Registry();
    const own = new Counter({ name: 'shop_orders_total', help: 'Orders', registers: [registry] });
    own.inc(2);
    const { health, ask } = makeHealth({ metrics: { registry } });
    health.check('fine', () => []);
    health.check('fai"ling', () => [new checks.Error('Broken', { id: 'a.E1' })]);
    // At once, before any code of ours was loaded.
    const before = read(await registry.metrics());
    expect(valueOf(before, 'lifesign_build_info')).toBe(1);
    await health.heartbeat();
    registry.setDefaultLabels({ app: 'shop' });
    const families = read(await registry.metrics());
    expect(valueOf(families, 'shop_orders_total')).toBe(2);
    expect(valueOf(families, 'lifesign_check_level', { check: 'fai"ling', app: 'shop' })).toBe(40);
    expect(valueOf(families, 'lifesign_check_duration_seconds_count', { check: 'fine' })).toBe(1);
    expect(valueOf(families, 'lifesign_check_duration_seconds_bucket', { le: '+Inf' })).toBe(1);
    const json = await registry.getMetricsAsJSON();
    expect(json.map(({ name }) => name)).toContain('lifesign_heartbeats_total');
    registry.resetMetrics();
    expect(register.getMetricsAsArray()).toEqual([]);
    // Its endpoint is yours: ours answers only where a path is given.
    await expect(ask('/__metrics__')).rejects.toThrow('Nobody answers');
  });

  test('its OpenMetrics has our series too', async () => {
    const registry = new Registry<'application/openmetrics-text; version=1.0.0; charset=utf-8'>();
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const { health } = makeHealth({ metrics: { registry } });
    await health.heartbeat();
    const body = await registry.metrics();
    expect(body).toContain('# TYPE lifesign_heartbeats counter\nlifesign_heartbeats_total{status="ok"} 1\n');
    expect(body.endsWith('# EOF\n')).toBe(true);
  });

  test('a name that is taken is refused, by another Health or by the application, and nothing is left behind', () => {
    const registry = new Registry();
    const { health } = makeHealth({ metrics: { registry } });
    expect(() => makeHealth({ metrics: { registry } })).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_METRICS_NAME' }),
    );
    health.close();
    expect(registry.getMetricsAsArray()).toEqual([]);
    const own = new Counter({ name: 'lifesign_check_runs_total', help: 'Mine', registers: [registry] });
    expect(() => makeHealth({ metrics: { registry } })).toThrow(
      'already has a metric named lifesign_check_runs_total',
    );
    expect(registry.getMetricsAsArray()).toEqual([own]);
    registry.removeSingleMetric('lifesign_check_runs_total');
    makeHealth({ metrics: { registry } });
  });

  test('one that hangs is a 500 before the scrape is given up', async () => {
    const registry = new Registry();
    new Counter({
      name: 'shop_orders_total',
      help: 'Orders',
      registers: [registry],
      collect: () => new Promise<void>(() => {}),
    });
    const { ask, records } = makeHealth({ metrics: { registry, path: '/metrics' } });
    const answer = await ask('/metrics', { 'x-prometheus-scrape-timeout-seconds': '0.05' });
    expect(answer).toMatchObject({ status: 500, body: '{"error":"lifesign failed, see the log"}' });
    expect(records).toMatchObject([{ error: { message: 'The registry did not answer within 40 ms' } }]);
  });

  test('with a path, all of it is served there; one that fails is a 500 and in the log', async () => {
    const registry = new Registry();
    let broken = false;
    new Counter({
      name: 'shop_orders_total',
      help: 'Orders',
      registers: [registry],
      collect() {
        if (broken) throw new Error('no orders');
      },
    });
    const { ask, records } = makeHealth({ metrics: { registry, path: '/metrics' } });
    const answer = await ask('/metrics');
    expect([answer.status, answer.headers['Content-Type']]).toEqual([200, registry.contentType]);
    const families = read(answer.body);
    expect([...families.keys()]).toEqual(
      expect.arrayContaining(['shop_orders_total', 'lifesign_build_info']),
    );
    broken = true;
    expect(await ask('/metrics')).toMatchObject({
      status: 500,
      body: '{"error":"lifesign failed, see the log"}',
    });
    expect(records).toMatchObject([{ msg: '/metrics failed', level: 40 }]);
  });
});

test('two copies of a client in one process keep their own series', async () => {
  const first = makeHealth({ metrics: { registry: new predecessor.Registry() } });
  const second = makeHealth({ metrics: { registry: new successor.Registry() } });
  await first.health.heartbeat();
  const registry = second.health.options.metrics?.registry;
  expect(await registry?.metrics()).toContain('lifesign_heartbeats_total{status="ok"} 0');
});
