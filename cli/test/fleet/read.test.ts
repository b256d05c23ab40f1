import { describe, expect, test } from 'vitest';
import { inProcess } from '../run.js';
import {
  answering,
  type Described,
  fakePrometheus,
  noon,
  type Point,
  type Points,
  pointsOf,
  type Question,
} from './fake.js';
import { shop, thousand } from './fleets.js';

interface Shown {
  readonly counts: Readonly<Record<string, number>>;
  readonly services: readonly {
    readonly builds: readonly { readonly version: string }[];
    readonly rollout?: object;
    readonly instances: readonly {
      readonly name: string;
      readonly state: string;
      readonly build?: { readonly version?: string };
      readonly findings: readonly object[];
    }[];
  }[];
}

async function read(points: Points): Promise<Shown> {
  const { url } = await fakePrometheus(answering(points));
  const { stdout } = await inProcess(['fleet', '--prometheus', url, '--json']);
  return JSON.parse(stdout.replace(url, 'http://localhost:9090'));
}
const fleetOf = (...instances: readonly Described[]) => read(pointsOf(instances));
const without = (points: Points, ...questions: readonly Question[]): Points => ({
  ...points,
  ...Object.fromEntries(questions.map((question) => [question, []])),
});

describe('which instances there are', () => {
  test('others that are scraped in the same job are not shown, be they up or down', async () => {
    const points = pointsOf([{ job: 'pods', instance: 'a:1' }]);
    const stranger = (instance: string, value: number): Point => [{ job: 'pods', instance }, value];
    const mixed = { ...points, targets: [...points.targets, stranger('b:1', 1), stranger('c:1', 0)] };
    expect((await read(mixed)).services[0]?.instances.map(({ name }) => name)).toEqual(['a:1']);
    // One that never answered belongs to a job whose others are all ours.
    const pure = { ...points, targets: [...points.targets, stranger('c:1', 0)] };
    expect((await read(pure)).services[0]?.instances.map(({ name, state }) => [name, state])).toEqual([
      ['c:1', 'down'],
      ['a:1', 'ok'],
    ]);
  });

  test('without up, what is pushed is there as long as it is seen', async () => {
    const fleet = await read(without(pointsOf([{ job: 'a', instance: 'x' }]), 'targets'));
    expect(fleet.services[0]?.instances[0]?.state).toBe('ok');
    expect(fleet.counts['gone']).toBe(0);
  });

  test('one address in two clusters is two instances, each with its own state', async () => {
    const fleet = await fleetOf(
      { job: 'a', instance: 'x:1', labels: { cluster: 'east' } },
      { job: 'a', instance: 'x:1', labels: { cluster: 'west' }, checks: { db: [50, 'E1'] } },
    );
    expect(fleet.services[0]?.instances.map(({ name, state }) => [name, state])).toEqual([
      ['x:1 {cluster=west,job=a}', 'failing'],
      ['x:1 {cluster=east,job=a}', 'ok'],
    ]);
  });

  test('a restart with another build at the same address is one instance of the new build', async () => {
    const points = pointsOf([{ job: 'a', instance: 'x:1', version: '2', started: 5 }]);
    const before: Point = [{ job: 'a', instance: 'x:1', version: '1', commit: '' }, -(noon - 300)];
    for (const builds of [
      [...points.builds, before],
      [before, ...points.builds],
    ]) {
      const [service] = (await read({ ...points, builds })).services;
      expect(service?.instances.map(({ build }) => build?.version)).toEqual(['2']);
      expect(service?.rollout).toBeUndefined();
    }
  });

  test('labels of a series that Prometheus renamed are found under their new name', async () => {
    const points = pointsOf([{ job: 'a', instance: 'x:1', labels: { version: 'chart-7', check: 'probe' } }]);
    const [target = [{}, 1] as Point] = points.targets;
    const labels = { ...target[0], exported_version: '1.2.3', exported_check: 'db', exported_id: 'E1' };
    const fleet = await read({
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
  const rolloutOf = async (...instances: readonly Described[]) => {
    const [service] = (await fleetOf(...instances)).services;
    return [service?.builds[0]?.version, service?.rollout];
  };

  test('goes to the build that was started last, not to the higher number: a rollback is one, too', async () => {
    expect(await rolloutOf(member('1', 900), member('2', 60), member('2', 30))).toEqual([
      '2',
      { done: 2, total: 3 },
    ]);
    expect(await rolloutOf(member('2', 900), member('1', 60))).toEqual(['1', { done: 1, total: 2 }]);
  });

  test('is not turned round by an old instance that restarted', async () => {
    expect(await rolloutOf(member('1', 900), member('1', 5), member('2', 60))).toEqual([
      '2',
      { done: 1, total: 3 },
    ]);
  });

  test('counts those of the new build that do not come up', async () => {
    expect(await rolloutOf(member('1', 900), member('2', 60, false))).toEqual(['2', { done: 1, total: 2 }]);
  });
});

test('the order of what Prometheus says changes nothing', async () => {
  const points = pointsOf([...shop, ...thousand(40)]);
  const reversed = Object.fromEntries(
    Object.entries(points).map(([question, values]) => [question, values.toReversed()]),
  );
  expect(await read({ ...points, ...reversed })).toEqual(await read(points));
});
