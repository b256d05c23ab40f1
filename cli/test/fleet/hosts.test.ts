import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAllowedHost } from '../../src/fleet/hosts.js';
import { questionsFor } from '../../src/fleet/questions.js';
import { readFleet } from '../../src/fleet/read.js';
import { noon, type Point, pointsOf } from './fake.js';

const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined });
const withPort = (host: string, number: number | undefined) =>
  number === undefined ? host : `${host}:${number}`;

test('a foreign name is refused, an address and a local name are not', () => {
  fc.assert(
    fc.property(fc.domain(), port, (name, number) => {
      expect(isAllowedHost(withPort(name, number), ['fleet.example.org'])).toBe(false);
      expect(isAllowedHost(withPort(name.toUpperCase(), number), [name])).toBe(true);
      expect(isAllowedHost(withPort(`localhost.${name}`, number), [])).toBe(false);
    }),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.ipV4(),
        fc.ipV6().map((ip) => `[${ip}]`),
        fc.constant('localhost'),
      ),
      port,
      (host, number) => {
        expect(isAllowedHost(withPort(host, number), [])).toBe(true);
      },
    ),
  );
  expect(isAllowedHost(undefined, [])).toBe(true);
});

const vectorOf = (points: readonly Point[]) => ({
  samples: points.map(([labels, value]) => ({ labels, value })),
  at: noon * 1000,
  warnings: [],
});
const points = pointsOf([{ job: 'shop', instance: 'a:1' }]);
const answers = (states: readonly Point[]) => ({
  targets: vectorOf(points.targets),
  builds: vectorOf(points.builds),
  states: vectorOf(states),
  checks: vectorOf([]),
  messages: vectorOf([]),
  successes: vectorOf([]),
});

test('a label that no instance has is an error that names the others', () => {
  expect(() => readFleet(answers([]), 'nosuch')).toThrow(
    /^No instance has the label nosuch \(--by\); the labels are .*instance, job/,
  );
});

test.each([
  [{ ready: 1, live: 1 }, 'ok'],
  [{ ready: 0, live: 1 }, 'failing'],
  [{ ready: 1, live: 0 }, 'failing'],
  [{}, 'unknown'],
])('an instance that only probes ask: %j', (probes, state) => {
  const states = Object.entries(probes).map(([probe, value]): Point => [
    { __name__: 'lifesign_probe_up', job: 'shop', instance: 'a:1', probe },
    value,
  ]);
  expect(readFleet(answers(states), 'job').services[0]?.instances[0]?.state).toBe(state);
  expect(questionsFor([], 1000).states).toContain('probe_up');
});
