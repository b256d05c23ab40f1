import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { engineOf } from '../../../src/core/health.js';
import { checks } from 'lifesign';
import { familiesOf } from '../../../src/metrics/families.js';
import { BuildInfo } from '../../../src/metrics/build-info.js';
import { HeartbeatSeries } from '../../../src/metrics/check-series.js';
import { RequestSeries } from '../../../src/metrics/request-series.js';
import { Verdicts } from '../../../src/metrics/verdicts.js';
import { Runtime } from '../../../src/metrics/runtime/index.js';
import { Instruments } from '../../../src/otel/index.js';
import { instrumentOf } from '../../../src/otel/names.js';
import type { CoreOptions } from '../../../src/core/options/options.js';
import { issue } from '../../checks/certificate/issue.js';
import { turn, until } from '../../core/waiting.js';
import { makeHealth as make } from '../../metrics/make.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

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

function makeHealth(options: CoreOptions = {}) {
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
    engineOf(health).leave(true);
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
    for (const name of Object.keys(units))
      expect(name).toMatch(/^(?:lifesign|nodejs|v8js|process)(\.[a-z\d_]+)+$/);
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
  const hostOf = () => {
    const log = vi.fn<(record: { msg?: string }) => void>();
    const onError = vi.fn<(msg: string, thrown: unknown) => void>();
    const { health } = makeHealth({ otel: false });
    const version = async () => ({ kind: 'missing' }) as never;
    const host = { options: health.options, checks: () => [], draining: () => false, version };
    return { log, onError, host: { ...host, heartbeat: () => health.heartbeat(), log, onError } };
  };

  test('is looked for a while, then the log says that there is none, once', () => {
    vi.useFakeTimers();
    const { host, log } = hostOf();
    const instruments = new Instruments(host);
    vi.advanceTimersByTime(60_000);
    expect(log.mock.calls.map(([{ msg }]) => msg)).toEqual([
      expect.stringContaining('no OpenTelemetry MeterProvider'),
    ]);
    expect(vi.getTimerCount()).toBe(0);
    instruments.close();
  });

  test('that comes meanwhile ends the search; a close does, too', async () => {
    const { register } = makeProvider();
    vi.useFakeTimers();
    const { host, log } = hostOf();
    const found = new Instruments(host);
    const closed = new Instruments(host);
    closed.close();
    register();
    vi.advanceTimersByTime(1000);
    expect(vi.getTimerCount()).toBe(0);
    expect(log).not.toHaveBeenCalled();
    found.close();
  });

  test.each([
    [
      'throws',
      {
        getMeter: () => {
          throw new Error('no');
        },
      },
    ],
    ['gives nothing', { getMeter: () => undefined }],
    ['gives half a meter', { getMeter: () => ({ createHistogram: () => ({}) }) }],
  ])('that %s is told once and breaks nothing', (_case, provider) => {
    metrics.setGlobalMeterProvider(provider as never);
    const { host, onError } = hostOf();
    const instruments = new Instruments(host);
    instruments.attach();
    instruments.attach();
    instruments.close();
    expect(onError).toHaveBeenCalledTimes(1);
  });

  test('whose instruments throw is told, and the heartbeat and the close go on', async () => {
    const refuse = (): never => {
      throw new Error('no');
    };
    const meter = {
      createObservableGauge: () => ({}),
      createObservableCounter: () => ({}),
      createObservableUpDownCounter: () => ({}),
      createHistogram: () => ({ record: refuse }),
      addBatchObservableCallback: () => {},
      removeBatchObservableCallback: refuse,
    };
    metrics.setGlobalMeterProvider({ getMeter: () => meter } as never);
    const { health, records } = makeHealth();
    const failures = () => records.flatMap(({ msg = '' }) => (msg.includes('cannot be') ? msg : []));
    const notRecorded = (what: string) => `The duration of a ${what} cannot be recorded`;
    await until(() =>
      health
        .heartbeat()
        .then(({ status }) => status === 'warning' && failures().includes(notRecorded('check'))),
    );
    // The observer of garbage collections is called by Node: an error in it would end the process.
    await until(() => {
      collectGarbage();
      return failures().includes(notRecorded('garbage collection'));
    });
    expect(new Set(failures())).toEqual(new Set([notRecorded('check'), notRecorded('garbage collection')]));
    collectGarbage();
    await turn();
    expect(failures().filter((msg) => msg === notRecorded('garbage collection'))).toHaveLength(1);
    health.close();
    expect(failures().at(-1)).toBe('The OpenTelemetry instruments cannot be removed');
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

test('every series of lifesign has an instrument; those of the runtime have the names of the conventions', () => {
  const { health } = makeHealth({ otel: false });
  const host = { options: health.options, checks: () => [], draining: () => false } as never;
  const runtime = new Runtime();
  runtime.release();
  const names = [
    ...familiesOf(
      host,
      new BuildInfo(vi.fn()),
      new HeartbeatSeries(host),
      new RequestSeries(),
      new Verdicts(true, () => true),
    ),
    ...runtime.families,
  ].map(({ name }) => name);
  const others = names.filter((name) => !(name in instrumentOf) && !/^(?:nodejs|process)_/.test(name));
  expect(others).toEqual(['http_server_request_duration_seconds', 'lifesign_event_loop_utilization']);
  expect(Object.keys(instrumentOf).filter((name) => !names.includes(name))).toEqual([]);
});

describe('the load of the process', () => {
  const conventions = [
    'nodejs.eventloop.delay.max',
    'nodejs.eventloop.delay.mean',
    'nodejs.eventloop.delay.min',
    'nodejs.eventloop.delay.p50',
    'nodejs.eventloop.delay.p90',
    'nodejs.eventloop.delay.p99',
    'nodejs.eventloop.delay.stddev',
    'nodejs.eventloop.utilization',
    'process.memory.usage',
    'v8js.gc.duration',
    'v8js.memory.heap.space.size',
    'v8js.memory.heap.used',
  ];
  /** Allocates until V8 has collected. */
  const litter = () => Array.from({ length: 300_000 }, (_, index) => ({ index })).length;

  test('has the names, units and attributes of the conventions', async () => {
    const { register, collect } = makeProvider();
    register();
    makeHealth();
    const seen = new Map<string, { unit: string; attributes: readonly string[] }>();
    await until(async () => {
      litter();
      for (const { descriptor, dataPoints } of await collect()) {
        const [point] = dataPoints;
        if (point)
          seen.set(descriptor.name, { unit: descriptor.unit, attributes: Object.keys(point.attributes) });
      }
      return conventions.every((name) => seen.has(name));
    });
    expect(seen.get('v8js.gc.duration')).toEqual({ unit: 's', attributes: ['v8js.gc.type'] });
    expect(seen.get('v8js.memory.heap.used')).toEqual({ unit: 'By', attributes: ['v8js.heap.space.name'] });
    expect(seen.get('process.memory.usage')).toEqual({ unit: 'By', attributes: [] });
    expect(seen.get('nodejs.eventloop.utilization')).toEqual({ unit: '1', attributes: [] });
    expect(seen.get('lifesign.heap.limit')).toEqual({ unit: 'By', attributes: [] });
  });

  test('is left to the instrumentations of OpenTelemetry that measure it', async () => {
    const { register, collect } = makeProvider();
    register();
    makeHealth();
    for (const name of ['instrumentation-runtime-node', 'host-metrics']) {
      metrics.getMeter(`@opentelemetry/${name}`, '0.37.0').createCounter(`${name}.any`);
    }
    await until(async () => (await collect()).length > 0);
    litter();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const names = (await collect()).map(({ descriptor }) => descriptor.name);
    expect(names).toContain('lifesign.heap.limit');
    expect(names.filter((name) => conventions.includes(name))).toEqual([]);
  });
});
