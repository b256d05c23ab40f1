import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { until } from '../core/waiting.js';
import { makeHealth } from './make.js';
import { parse, valueOf } from './parse.js';

/** Allocates until V8 collects. */
const litter = () => Array.from({ length: 300_000 }, (_, index) => ({ index })).length;

test('a scrape has the load of the process', async () => {
  const { health, scrape } = makeHealth({ metrics: true });
  await until(async () => {
    litter();
    const families = await scrape();
    return families.has('nodejs_gc_duration_seconds') && families.has('nodejs_eventloop_lag_p99_seconds');
  });
  const families = await scrape();
  const utilization = valueOf(families, 'nodejs_eventloop_utilization');
  expect(utilization).toBeGreaterThan(0);
  expect(utilization).toBeLessThanOrEqual(1);
  expect(valueOf(families, 'nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
  expect(valueOf(families, 'lifesign_heap_limit_bytes')).toBe(getHeapStatistics().heap_size_limit);
  const used = valueOf(families, 'nodejs_heap_size_used_bytes') ?? 0;
  expect(used).toBeGreaterThan(2 ** 20);
  expect(valueOf(families, 'process_resident_memory_bytes')).toBeGreaterThan(used / 2);
  expect(families.has('lifesign_event_loop_utilization')).toBe(false);
  health.close();
});

test('a blocked loop is in the delays of the next scrape, and two scrapes in one moment show the same', async () => {
  const { health, scrape } = makeHealth({ metrics: true });
  await scrape();
  // A delay is measured between two turns: the monitor has begun by then.
  await new Promise((resolve) => setTimeout(resolve, 100));
  for (const end = performance.now() + 700; performance.now() < end;);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const [one, other] = await Promise.all([scrape(), scrape()]);
  expect(valueOf(one, 'nodejs_eventloop_lag_max_seconds')).toBeGreaterThan(0.6);
  expect(valueOf(one, 'nodejs_eventloop_utilization')).toBeGreaterThan(0.3);
  for (const name of ['nodejs_eventloop_lag_max_seconds', 'nodejs_eventloop_utilization']) {
    expect(valueOf(other, name)).toBe(valueOf(one, name));
  }
  health.close();
});

test('OpenMetrics has their units', async () => {
  const { health, ask } = makeHealth({ metrics: true });
  const accept = 'application/openmetrics-text; version=1.0.0';
  const { body } = await ask('/__metrics__', { accept });
  expect(parse(body, 'openmetrics').has('nodejs_heap_size_used_bytes')).toBe(true);
  expect(body).toContain('# UNIT nodejs_heap_size_used_bytes bytes\n');
  health.close();
});

/** The observers that are not disconnected; each is let go by `giveBack`. */
function watchObservers() {
  const observed = new Set<PerformanceObserver>();
  const { observe, disconnect } = PerformanceObserver.prototype;
  PerformanceObserver.prototype.observe = function (...args) {
    observed.add(this);
    return observe.apply(this, args);
  };
  PerformanceObserver.prototype.disconnect = function () {
    observed.delete(this);
    return disconnect.apply(this);
  };
  return { observed, giveBack: () => Object.assign(PerformanceObserver.prototype, { observe, disconnect }) };
}

test('nothing is observed before the metrics are on, nor after they are closed', async () => {
  const { observed, giveBack } = watchObservers();
  try {
    const off = makeHealth({ probes: true });
    await off.health.heartbeat();
    expect(observed.size).toBe(0);
    const { health, scrape } = makeHealth({ metrics: true });
    await scrape();
    expect(observed.size).toBe(1);
    health.close();
    expect(observed.size).toBe(0);
    off.health.close();
  } finally {
    giveBack();
  }
});

test('a Health with metrics that is dropped without close() is collected, and its observer ends', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const { observed, giveBack } = watchObservers();
  const dropped = async () => {
    const { health, scrape } = makeHealth({ metrics: { requests: true } });
    await scrape();
    return new WeakRef(health);
  };
  try {
    const all = await Promise.all(Array.from({ length: 5 }, dropped));
    expect(observed.size).toBe(5);
    await until(() => {
      collect();
      return observed.size === 0 && all.every((each) => each.deref() === undefined);
    });
  } finally {
    giveBack();
  }
});
