import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { metrics } from '@opentelemetry/api';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { expect, onTestFinished, test } from 'vitest';
import { Instruments } from '../../../src/otel/index.js';
import { attributesOf, instrumentOf } from '../../../src/otel/names.js';
import { compile } from '../../examples/tsx-app.js';
import { makeHealth } from '../../metrics/make.js';

interface Created {
  readonly kind: string;
  readonly unit: string;
  readonly bounds: readonly number[] | undefined;
}

/** Every instrument that lifesign creates, from a provider that only writes them down. */
function created(): Map<string, Created> {
  const found = new Map<string, Created>();
  const create =
    (kind: string) =>
    (name: string, options: { unit: string; advice?: { explicitBucketBoundaries: readonly number[] } }) => {
      found.set(name, { kind, unit: options.unit, bounds: options.advice?.explicitBucketBoundaries });
      return { record: () => {} };
    };
  const meter = {
    createObservableGauge: create('gauge'),
    createObservableCounter: create('counter'),
    createObservableUpDownCounter: create('up-down counter'),
    createHistogram: create('histogram'),
    addBatchObservableCallback: () => {},
    removeBatchObservableCallback: () => {},
  };
  metrics.setGlobalMeterProvider({ getMeter: () => meter } as never);
  const { health } = makeHealth();
  const host = { options: health.options, checks: () => [], draining: () => false } as never;
  const instruments = new Instruments(host);
  onTestFinished(() => {
    instruments.close();
    health.close();
    metrics.disable();
  });
  return found;
}

const { resolve } = createRequire(import.meta.url);
const declarations = readFileSync(
  resolve('@opentelemetry/semantic-conventions').replace(/index\.c?js$/, 'experimental_metrics.d.mts'),
  'utf8',
);
const known: ReadonlySet<unknown> = new Set(Object.values(conventions));
const gauge = { kind: 'gauge', unit: 's' };
const sizes = { kind: 'up-down counter', unit: 'By' };

test('what the conventions name has their name, instrument, unit and buckets', () => {
  const named = [...created()].filter(([name]) => !name.startsWith('lifesign.'));
  for (const [name] of named) {
    expect(known).toContain(name);
    // The comment above a name says if it is deprecated.
    const [, comment = ''] = new RegExp(`/\\*\\*((?:(?!/\\*\\*)[^])*?): "${name}";`).exec(declarations) ?? [];
    expect(comment).toContain('METRIC_');
    expect(comment).not.toContain('@deprecated');
  }
  const delays = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];
  expect(Object.fromEntries(named)).toEqual({
    ...Object.fromEntries(delays.map((name) => [`nodejs.eventloop.delay.${name}`, gauge])),
    'nodejs.eventloop.utilization': { kind: 'gauge', unit: '1' },
    'process.memory.usage': sizes,
    'process.uptime': gauge,
    'v8js.gc.duration': { kind: 'histogram', unit: 's', bounds: [0.01, 0.1, 1, 10] },
    'v8js.memory.heap.space.size': sizes,
    'v8js.memory.heap.used': sizes,
  });
});

test('the rest is in our namespace, with units of UCUM, and sizes add up', () => {
  for (const [name, { kind, unit }] of created()) {
    expect(name).toMatch(/^[a-z][a-z\d]*(?:\.[a-z][a-z\d_]*)+$/);
    expect(unit).toMatch(/^(?:1|s|By|\{[a-z]+\})$/);
    if (unit === 'By') expect(kind).toBe('up-down counter');
  }
});

test('the page has a row for each, with its instrument and unit', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/opentelemetry.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (`.+?) \| ([\w-]+ ?c?o?u?n?t?e?r?)s?\b[^|]*\| `(.+?)` \|/gm)].flatMap(
    ([, names = '', kind = '', unit = '']) => {
      const listed = [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      const base = listed[0]?.replace(/\.\w+$/, '') ?? '';
      return listed.map((name) => [
        name.startsWith('.') ? base + name : name,
        { kind: kind.trim().replace(/s$/, ''), unit },
      ]);
    },
  );
  const expected = [...created()].map(([name, { kind, unit }]) => [name, { kind, unit }]);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(expected));
});

test('attributes are ours, or those of the conventions', () => {
  const build = {
    commit: 'abc',
    version: '1',
    build: 'https://ci.example/7',
    source: 'https://host.example/a',
  };
  const all = [build, { check: 'a', status: 'ok', id: 'a.E1', probe: 'ready' }].flatMap((labels) =>
    Object.keys(attributesOf(labels)),
  );
  expect(all).toHaveLength(8);
  for (const name of all) expect(known.has(name) || name.startsWith('lifesign.')).toBe(true);
  expect(attributesOf({ ...build, source: '', build: '' })).toEqual({
    'service.version': '1',
    'vcs.ref.head.revision': 'abc',
  });
});

test('the time of the start is the time since then', () => {
  const { convert } = instrumentOf['lifesign_start_time_seconds'] ?? {};
  expect(convert?.(Date.now() / 1000 - 60)).toBeCloseTo(60, 0);
});

test('this folder compiles', async () => {
  await compile(import.meta.dirname);
});
