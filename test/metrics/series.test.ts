import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { leave } from '../core/leave.js';
import { checks } from 'lifesign';
import { makeHealth } from './make.js';
import { parse, valueOf } from './parse.js';

afterEach(() => {
  vi.useRealTimers();
});

/** Any text, halves of surrogate pairs included. */
const units = (maxLength: number) =>
  fc
    .array(fc.oneof(fc.integer({ min: 0, max: 127 }), fc.integer({ min: 0, max: 0xffff })), { maxLength })
    .map((codes) => String.fromCharCode(...codes));

const failing = () => [new checks.Error('Broken', { id: 'a.E1' })];

test('a cached result is one run, however often it is served, and no later success', async () => {
  const { health, scrape } = makeHealth({ metrics: true });
  health.check('cached', () => [], { cacheFor: 60_000 });
  await health.heartbeat();
  const first = await scrape();
  await health.heartbeat();
  await health.heartbeat();
  const families = await scrape();
  health.close();
  expect(valueOf(families, 'lifesign_heartbeats_total', { status: 'ok' })).toBe(3);
  expect(valueOf(families, 'lifesign_check_runs_total', { check: 'cached' })).toBe(1);
  expect(valueOf(families, 'lifesign_check_duration_seconds_count')).toBe(1);
  const name = 'lifesign_check_last_success_timestamp_seconds';
  expect(valueOf(families, name)).toBe(valueOf(first, name));
});

test('a check that hangs is down, and what was not started is not counted as a run', async () => {
  const { health, scrape } = makeHealth({ metrics: true });
  health.check('hangs', () => new Promise(() => {}), { timeout: 100 });
  for (let count = 0; count < 3; count += 1) await health.heartbeat();
  const families = await scrape();
  expect(valueOf(families, 'lifesign_check_up', { check: 'hangs' })).toBe(0);
  expect(valueOf(families, 'lifesign_check_runs_total', { check: 'hangs', status: 'error' })).toBe(1);
  expect(valueOf(families, 'lifesign_check_duration_seconds_count')).toBe(1);
  expect(valueOf(families, 'lifesign_check_last_success_timestamp_seconds')).toBeUndefined();
});

test('failLevel decides what is up and what has failed', async () => {
  const { health, scrape } = makeHealth({ metrics: true, failLevel: 'critical' });
  health.check('failing', failing);
  await health.heartbeat();
  const families = await scrape();
  expect(valueOf(families, 'lifesign_heartbeat_level')).toBe(40);
  expect(valueOf(families, 'lifesign_heartbeat_failed')).toBe(0);
  expect(valueOf(families, 'lifesign_check_up')).toBe(1);
});

test('heartbeats of groups tell of their checks, and of no name that is not registered', async () => {
  const { health, ask, scrape } = makeHealth({ metrics: true, groups: { part: ['failing', 'slip'] } });
  health.check('failing', failing);
  health.check('other', () => []);
  await ask('/__heartbeat__/part');
  const families = await scrape();
  expect(families.get('lifesign_check_up')?.samples).toEqual([
    { name: 'lifesign_check_up', labels: { check: 'failing' }, value: 0 },
  ]);
  expect(valueOf(families, 'lifesign_heartbeats_total', { status: 'error' })).toBe(0);
});

test('draining is told', async () => {
  const { health, scrape } = makeHealth({ metrics: true });
  expect(valueOf(await scrape(), 'lifesign_draining')).toBe(0);
  expect((await scrape()).has('lifesign_event_loop_blocks_total')).toBe(false);
  leave(health);
  expect(valueOf(await scrape(), 'lifesign_draining')).toBe(1);
});

test('refresh lets a scrape run one heartbeat that scrapes and probes share, and none while the last is fresh', async () => {
  let runs = 0;
  let release = () => {};
  const { health, scrape, ask } = makeHealth({ metrics: { refresh: 60_000 } });
  health.check('counted', () => {
    runs += 1;
    return new Promise<void>((resolve) => (release = resolve));
  });
  const probe = ask('/__heartbeat__');
  const scrapes = Promise.all([scrape(), scrape(), scrape()]);
  await vi.waitFor(() => expect(runs).toBe(1), 30_000);
  await new Promise((resolve) => setImmediate(resolve));
  release();
  for (const families of await scrapes) expect(valueOf(families, 'lifesign_check_up')).toBe(1);
  await probe;
  await scrape();
  expect(runs).toBe(1);
});

test('refresh: who says how long it waits gets an answer before that, with what is known', async () => {
  const { health, ask } = makeHealth({ metrics: { refresh: 1 } });
  health.check('hangs', () => new Promise(() => {}), { timeout: 60_000 });
  const answer = await ask('/__metrics__', { 'x-prometheus-scrape-timeout-seconds': '0.05' });
  expect(valueOf(parse(answer.body), 'lifesign_heartbeat_level')).toBeUndefined();
  expect(answer.status).toBe(200);
});

test('the build is shown by four labels, whatever the version object has', async () => {
  const { health, scrape } = makeHealth({ metrics: true });
  expect((await scrape()).get('lifesign_build_info')?.samples[0]?.labels).toEqual({
    commit: '',
    version: '',
    build: '',
    source: '',
  });
  let version: Record<string, unknown> = {};
  health.versionCallback(() => version);
  const property = fc.asyncProperty(
    fc.record(
      {
        commit: fc.anything(),
        version: fc.anything(),
        build: units(2000),
        extra: fc.anything(),
      },
      { requiredKeys: [] },
    ),
    async (given) => {
      version = given;
      const [sample, ...others] = (await scrape()).get('lifesign_build_info')?.samples ?? [];
      expect(others).toEqual([]);
      expect(Object.keys(sample?.labels ?? {})).toEqual(['commit', 'version', 'build', 'source']);
      for (const value of Object.values(sample?.labels ?? {})) expect(value.length).toBeLessThanOrEqual(201);
      if (typeof given.commit === 'object' || typeof given.commit === 'undefined') {
        expect(sample?.labels['commit']).toBe('');
      }
    },
  );
  await fc.assert(property, { numRuns: 40 });
  version = {
    commit: '4f2a9c1be0d84f2a9c1be0d84f2a9c1be0d84f2a',
    version: 7,
    build: true,
    __proto__: { source: 'x' },
  };
  expect((await scrape()).get('lifesign_build_info')?.samples[0]?.labels).toEqual({
    commit: '4f2a9c1be0d84f2a9c1be0d84f2a9c1be0d84f2a',
    version: '7',
    build: 'true',
    source: '',
  });
});

test('a version callback that hangs holds a scrape up for a moment only, and the last build stands', async () => {
  const { health, scrape } = makeHealth({ metrics: true });
  let hangs = false;
  health.versionCallback(() => (hangs ? new Promise(() => {}) : { commit: 'abc' }));
  await scrape();
  hangs = true;
  expect((await scrape()).get('lifesign_build_info')?.samples[0]?.labels['commit']).toBe('abc');
});

test('any names of checks and any results give a body that can be read, with a series for each', async () => {
  const name = units(40).filter((text) => text !== '');
  const property = fc.asyncProperty(fc.uniqueArray(name, { maxLength: 20 }), async (names) => {
    const { health, scrape } = makeHealth({ metrics: true });
    const known = new Set<string>();
    names.forEach((each, index) => {
      try {
        health.check(each, () => (index % 2 === 0 ? [] : failing()));
        known.add(each);
      } catch {
        // Two names may be one after scrubbing.
      }
    });
    const heartbeat = await health.heartbeat();
    const samples = (await scrape()).get('lifesign_check_level')?.samples ?? [];
    expect(samples.map(({ labels, value }) => [labels['check'], value])).toEqual(
      heartbeat.results.map(({ name: check, level }) => [check, level]),
    );
    expect(samples.length).toBe(known.size);
  });
  await fc.assert(property, { numRuns: 30 });
});

test('messages are told by their ids while they stand, and no more than ten of a check', async () => {
  const { health, scrape } = makeHealth({ metrics: true });
  let ids = ['a.E1', 'a.E1', 'a.E2', 'a.E2', 'a.E1'];
  health.check('failing', () =>
    ids.map((id, index) =>
      index % 3 === 0 ? new checks.Warning('w', { id }) : new checks.Error('e', { id }),
    ),
  );
  await health.heartbeat();
  const told = async () =>
    (await scrape()).get('lifesign_check_message')?.samples.map(({ labels, value }) => [labels['id'], value]);
  // Of those with one id the worst counts, wherever it stands.
  expect(await told()).toEqual([
    ['a.E1', 40],
    ['a.E2', 40],
  ]);
  ids = Array.from({ length: 50 }, (_, index) => `b.E${index}`);
  await health.heartbeat();
  expect(await told()).toHaveLength(10);
  ids = [];
  await health.heartbeat();
  expect(await told()).toBeUndefined();
});

test('verdicts are not told before the checks have run: nobody knows them', async () => {
  const { health, scrape } = makeHealth({ metrics: true, probes: true });
  health.check('db', failing);
  expect((await scrape()).has('lifesign_probe_up')).toBe(false);
  await health.heartbeat();
  const ready = async () => valueOf(await scrape(), 'lifesign_probe_up', { probe: 'ready' });
  await vi.waitFor(async () => expect(await ready()).toBe(0), 30_000);
  health.close();
});

test('verdicts are told where the probes are on', async () => {
  const { health, scrape } = makeHealth({ metrics: true, probes: { startWhen: 'called' } });
  health.check('fine', () => []);
  expect((await makeHealth({ metrics: true }).scrape()).has('lifesign_probe_up')).toBe(false);
  health.started();
  await health.heartbeat();
  await vi.waitFor(
    async () => expect(valueOf(await scrape(), 'lifesign_probe_up', { probe: 'ready' })).toBe(1),
    30_000,
  );
  leave(health);
  await vi.waitFor(async () => {
    const families = await scrape();
    expect(valueOf(families, 'lifesign_probe_up', { probe: 'ready' })).toBe(0);
    expect(valueOf(families, 'lifesign_probe_up', { probe: 'live' })).toBe(1);
  }, 30_000);
  expect(valueOf(await scrape(), 'lifesign_start_time_seconds')).toBeGreaterThan(1e9);
  health.close();
});
