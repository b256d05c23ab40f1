import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { states } from '../../src/fleet/fleet.js';
import { json } from '../../src/fleet/table.js';
import { prometheusAt } from '../../src/fleet/prometheus.js';
import { type Questions, questionsFor } from '../../src/fleet/watch.js';
import { type Answers, readFleet } from '../../src/fleet/read.js';
import { table } from '../../src/fleet/table.js';
import { Watch } from '../../src/fleet/watch.js';
import { terminalTricks } from '../hostile.js';
import { type Described, noon, type Point, type Points, pointsOf } from './fake.js';
import { shop, thousand } from './fleets.js';

const vectorOf = (points: readonly Point[]) => ({
  samples: points.map(([labels, value]) => ({ labels, value })),
  at: noon * 1000,
  warnings: [],
});
const answersOf = (points: Points): Answers => ({
  targets: vectorOf(points.targets),
  builds: vectorOf(points.builds),
  states: vectorOf(points.states),
  checks: vectorOf(points.checks),
  messages: vectorOf(points.messages),
  successes: vectorOf(points.successes),
});
const read = (points: Points, by = 'job') => readFleet(answersOf(points), by);
const fleetOf = (...instances: readonly Described[]) => read(pointsOf(instances));
const without = (points: Points, ...questions: readonly (keyof Questions)[]): Points => ({
  ...points,
  ...Object.fromEntries(questions.map((question) => [question, []])),
});

describe('which instances there are', () => {
  test('others that are scraped in the same job are not shown, be they up or down', () => {
    const points = pointsOf([{ job: 'pods', instance: 'a:1' }]);
    const stranger = (instance: string, value: number): Point => [{ job: 'pods', instance }, value];
    const mixed = { ...points, targets: [...points.targets, stranger('b:1', 1), stranger('c:1', 0)] };
    expect(read(mixed).services[0]?.instances.map(({ name }) => name)).toEqual(['a:1']);
    // One that never answered belongs to a job whose others are all ours.
    const pure = { ...points, targets: [...points.targets, stranger('c:1', 0)] };
    expect(read(pure).services[0]?.instances.map(({ name, state }) => [name, state])).toEqual([
      ['c:1', 'down'],
      ['a:1', 'ok'],
    ]);
  });

  test('without up, what is pushed is there as long as it is seen', () => {
    const fleet = read(without(pointsOf([{ job: 'a', instance: 'x' }]), 'targets'));
    expect(fleet.services[0]?.instances[0]?.state).toBe('ok');
    expect(fleet.counts.gone).toBe(0);
  });

  test('one address in two clusters is two instances, each with its own state', () => {
    const fleet = fleetOf(
      { job: 'a', instance: 'x:1', labels: { cluster: 'east' } },
      { job: 'a', instance: 'x:1', labels: { cluster: 'west' }, checks: { db: [50, 'E1', 5] } },
    );
    expect(fleet.services[0]?.instances.map(({ name, state }) => [name, state])).toEqual([
      ['x:1 {cluster=west,job=a}', 'failing'],
      ['x:1 {cluster=east,job=a}', 'ok'],
    ]);
  });

  test('a restart with another build at the same address is one instance of the new build', () => {
    const points = pointsOf([{ job: 'a', instance: 'x:1', version: '2', started: 5 }]);
    const before: Point = [{ job: 'a', instance: 'x:1', version: '1', commit: '' }, -(noon - 300)];
    for (const builds of [
      [...points.builds, before],
      [before, ...points.builds],
    ]) {
      const [service] = read({ ...points, builds }).services;
      expect(service?.instances.map(({ build }) => build?.version)).toEqual(['2']);
      expect(service?.rollout).toBeUndefined();
    }
  });

  test('labels of a series that Prometheus renamed are found under their new name', () => {
    const points = pointsOf([{ job: 'a', instance: 'x:1', labels: { version: 'chart-7', check: 'probe' } }]);
    const [target = [{}, 1] as Point] = points.targets;
    const labels = { ...target[0], exported_version: '1.2.3', exported_check: 'db', exported_id: 'E1' };
    const fleet = read({
      ...points,
      builds: [[labels, noon]],
      checks: [[labels, 40]],
      messages: [[labels, 40]],
    });
    const [instance] = fleet.services[0]?.instances ?? [];
    expect(instance?.build?.version).toBe('1.2.3');
    expect(instance?.findings).toMatchObject([{ check: 'db', ids: ['E1'] }]);
  });
});

describe('a rollout', () => {
  const member = (version: string, started: number, up = true): Described => ({
    job: 'a',
    instance: `${version}-${started}`,
    version,
    started,
    up,
  });
  const rolloutOf = (...instances: readonly Described[]) => {
    const [service] = fleetOf(...instances).services;
    return [service?.builds[0]?.version, service?.rollout];
  };

  test('goes to the build that was started last, not to the higher number: a rollback is one, too', () => {
    expect(rolloutOf(member('1', 900), member('2', 60), member('2', 30))).toEqual([
      '2',
      { done: 2, total: 3 },
    ]);
    expect(rolloutOf(member('2', 900), member('1', 60))).toEqual(['1', { done: 1, total: 2 }]);
  });

  test('is not turned round by an old instance that restarted', () => {
    expect(rolloutOf(member('1', 900), member('1', 5), member('2', 60))).toEqual([
      '2',
      { done: 1, total: 3 },
    ]);
  });

  test('counts those of the new build that do not come up', () => {
    expect(rolloutOf(member('1', 900), member('2', 60, false))).toEqual(['2', { done: 1, total: 2 }]);
  });
});

const watching = (points: Points) => {
  const prometheus = prometheusAt('http://localhost:9090', {
    headers: [],
    timeout: 1,
    insecure: false,
    env: {},
  });
  const watch = new Watch(prometheus, questionsFor([], 60_000), 'job');
  watch.fleet = read(points);
  return watch;
};
const io = (columns: number) => ({
  stdout: { write() {}, isTTY: true, columns },
  stderr: { write() {} },
  stdin: (async function* () {})(),
  env: { NO_COLOR: '1' },
  cwd: '/',
});

describe('whatever the labels and values are', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom(
      terminalTricks,
      '<script>alert(1)</script>',
      '"><img src=x>',
      '__proto__',
      'a\nb',
      '\uD800',
      '',
    ),
  );
  const labels = fc.dictionary(
    fc.constantFrom(
      'job',
      'instance',
      'check',
      'id',
      'version',
      'commit',
      '__name__',
      '__proto__',
      'cluster',
      'exported_id',
    ),
    hostile,
  );
  const value = fc.oneof(
    fc.constantFrom(0, 1, 10, 30, 40, 50, -1, NaN, Infinity, -Infinity, noon, -noon, 1e300),
    fc.double(),
  );
  const points = fc.array(fc.tuple(labels, value), { maxLength: 8 });
  const any = fc.record({
    targets: points,
    builds: points,
    states: points,
    checks: points,
    messages: points,
    successes: points,
  });

  test('a view is made, counts agree, and nothing reaches terminal or JSON unescaped', () => {
    fc.assert(
      fc.property(any, fc.integer({ min: 40, max: 200 }), (points, columns) => {
        const watch = watching(points);
        const { fleet } = watch;
        if (fleet === undefined) throw new Error('no view');
        const instances = fleet.services.flatMap((service) => service.instances);
        expect(Object.values(fleet.counts).reduce((sum, many) => sum + many, 0)).toBe(instances.length);
        for (const service of fleet.services) {
          const order = service.instances.map(({ state }) => states.indexOf(state));
          expect(order).toEqual(order.toSorted((one, other) => one - other));
        }
        const lines = table({ fleet, address: watch.address, maxRows: 20 }, io(columns));
        for (const line of lines) expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect(json(fleet, 'x')).not.toMatch(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 300 },
    );
  });
});

test('the order of what Prometheus says changes nothing', () => {
  const points = pointsOf([...shop, ...thousand(40)]);
  const reversed = Object.fromEntries(
    Object.entries(points).map(([question, values]) => [question, values.toReversed()]),
  );
  expect(read({ ...points, ...reversed })).toEqual(read(points));
});
