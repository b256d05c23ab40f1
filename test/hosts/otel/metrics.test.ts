import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { leave } from '../../core/leave.js';
import { checks, type HealthOptions } from 'lifesign';
import { issue } from '../../checks/issue.js';
import { until } from '../../core/waiting.js';
import { makeHealth as make } from '../../metrics/make.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ends.splice(0)) await end();
  metrics.disable();
});

/** A real provider, and what it exports. */
function makeProvider() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  ends.push(() => provider.shutdown());
  const collect = async () => {
    exporter.reset();
    await reader.forceFlush();
    const scopes = exporter.getMetrics().at(-1)?.scopeMetrics ?? [];
    return scopes.flatMap(({ metrics: all }) => all);
  };
  return {
    register: () => metrics.setGlobalMeterProvider(provider),
    collect,
    /** The points of one instrument. */
    points: async (name: string) => {
      const found = (await collect()).find(({ descriptor }) => descriptor.name === name);
      return (found?.dataPoints ?? []).map(({ value, attributes }) => ({ value, attributes }));
    },
  };
}

function makeHealth(options: HealthOptions<object> = {}) {
  const made = make({ otel: true, ...options });
  ends.push(() => made.health.close());
  made.health.check('storage', () => new checks.Warning('Slow', { id: 'a.W1' }));
  made.health.check('cache', () => undefined);
  return made;
}

const seen = [
  { value: 0, attributes: { 'lifesign.check.name': 'storage' } },
  { value: 1, attributes: { 'lifesign.check.name': 'cache' } },
];

describe('the instruments', () => {
  test('are those of the provider that was there first', async () => {
    const { register, points, collect } = makeProvider();
    register();
    const { health } = makeHealth();
    await until(async () => (await collect()).length > 0);
    await health.heartbeat();
    expect(await points('lifesign.check.up')).toEqual(seen);
    expect(await points('lifesign.heartbeat.level')).toEqual([{ value: 30, attributes: {} }]);
    expect(await points('lifesign.heartbeat.failed')).toEqual([{ value: 1, attributes: {} }]);
    expect(await points('lifesign.draining')).toEqual([{ value: 0, attributes: {} }]);
    expect(await points('lifesign.check.runs')).toContainEqual({
      value: 1,
      attributes: { 'lifesign.check.name': 'storage', 'lifesign.status': 'warning' },
    });
    const durations = await points('lifesign.check.duration');
    expect(durations).toEqual([
      { value: expect.objectContaining({ count: 1 }), attributes: seen[0]?.attributes },
      { value: expect.objectContaining({ count: 1 }), attributes: seen[1]?.attributes },
    ]);
  });

  test('are those of a provider that comes later, and of the one that replaces it', async () => {
    const { health } = makeHealth();
    await health.heartbeat();
    for (const { register, points } of [makeProvider(), makeProvider()]) {
      metrics.disable();
      register();
      await health.heartbeat();
      await until(async () => (await points('lifesign.check.up')).length > 0);
      expect(await points('lifesign.check.up')).toEqual(seen);
    }
  });

  test('are current with checks on a schedule, without a heartbeat', async () => {
    const { register, points } = makeProvider();
    register();
    const { health } = make({ otel: true, every: '100ms' });
    ends.push(() => health.close());
    let fails = false;
    health.check('storage', () => (fails ? new checks.Error('It is down', { id: 'a.E1' }) : undefined));
    const isUp = (value: number) =>
      until(async () => (await points('lifesign.check.up')).some((point) => point.value === value));
    await isUp(1);
    fails = true;
    await isUp(0);
    fails = false;
    await isUp(1);
  });

  test('tell of the checks of a group, and of no name that is not registered', async () => {
    const { register, points } = makeProvider();
    register();
    const { ask } = makeHealth({ groups: { part: ['cache', 'slip'] } });
    await ask('/__heartbeat__/part');
    await until(async () => (await points('lifesign.check.up')).length > 0);
    expect(await points('lifesign.check.up')).toEqual([seen[1]]);
    expect(await points('lifesign.check.duration')).toEqual([
      { value: expect.objectContaining({ count: 1 }), attributes: seen[1]?.attributes },
    ]);
    expect(await points('lifesign.heartbeat.level')).toEqual([]);
  });

  test('tell the verdicts of the probes', async () => {
    const { register, points } = makeProvider();
    register();
    const { health } = makeHealth({ probes: { startWhen: 'called' }, failLevel: 'error' });
    const ready = async () =>
      (await points('lifesign.probe.up')).find(
        ({ attributes }) => attributes['lifesign.probe.name'] === 'ready',
      )?.value;
    health.started();
    await health.heartbeat();
    await until(async () => (await ready()) === 1);
    leave(health);
    await until(async () => (await ready()) === 0);
  });

  test('have units, and no unit in their names', async () => {
    const { register, collect } = makeProvider();
    register();
    const { health } = makeHealth();
    await until(async () => (await collect()).length > 0);
    await health.heartbeat();
    const all = await collect();
    const units = Object.fromEntries(all.map(({ descriptor }) => [descriptor.name, descriptor.unit]));
    expect(units).toMatchObject({
      'lifesign.build.info': '1',
      'lifesign.check.duration': 's',
      'lifesign.check.runs': '{run}',
      'lifesign.heartbeats': '{heartbeat}',
    });
    for (const name of Object.keys(units)) expect(name).toMatch(/^lifesign(\.[a-z\d_]+)+$/);
    expect(Object.keys(units).join(' ')).not.toMatch(/seconds|total/);
  });

  test('are observed no more once the Health is closed', async () => {
    const { register, points } = makeProvider();
    register();
    const { health } = makeHealth();
    await health.heartbeat();
    await until(async () => (await points('lifesign.check.up')).length > 0);
    health.close();
    await health.heartbeat();
    const [runs] = await points('lifesign.check.runs');
    expect(runs?.value ?? 1).toBe(1);
    const [duration] = await points('lifesign.check.duration');
    expect(duration?.value).toMatchObject({ count: 1 });
  });
});

describe('a provider', () => {
  const missing = 'no OpenTelemetry MeterProvider';

  test('is awaited for ten seconds, then the log says that there is none, once', () => {
    vi.useFakeTimers();
    const { records } = makeHealth();
    vi.advanceTimersByTime(60_000);
    expect(records.map(({ msg }) => msg)).toEqual([expect.stringContaining(missing)]);
  });

  test('that comes meanwhile is used, and a close ends the wait', () => {
    const { register } = makeProvider();
    vi.useFakeTimers();
    const found = makeHealth();
    const closed = makeHealth();
    closed.health.close();
    register();
    vi.advanceTimersByTime(10_000);
    metrics.disable();
    vi.advanceTimersByTime(60_000);
    expect([...found.records, ...closed.records]).toEqual([]);
  });

  test('that throws is told once and breaks nothing', async () => {
    const getMeter = () => {
      throw new Error('no');
    };
    metrics.setGlobalMeterProvider({ getMeter });
    const { health, records } = makeHealth();
    health.started();
    await health.heartbeat();
    health.close();
    const failures = records.filter(({ msg = '' }) => msg.includes('cannot be'));
    expect(failures.map(({ msg }) => msg)).toEqual(['The OpenTelemetry instruments cannot be created']);
  });
});

test('the expiry of a certificate is exported', async () => {
  const provider = makeProvider();
  provider.register();
  const { health } = makeHealth();
  const directory = mkdtempSync(join(tmpdir(), 'lifesign-'));
  ends.push(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'tls.crt');
  const { cert } = issue(-1, 10);
  writeFileSync(file, cert);
  health.check('own', checks.certificate({ file }));
  await health.heartbeat();
  await expect
    .poll(() => provider.points('lifesign.certificate.expiry'))
    .toEqual([
      {
        value: Date.parse(new X509Certificate(cert).validTo) / 1000,
        attributes: { 'lifesign.check.name': 'own' },
      },
    ]);
});
