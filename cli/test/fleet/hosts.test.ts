import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAllowedRequest } from '../../src/fleet/hosts.js';
import { questionsFor } from '../../src/fleet/questions.js';
import { readFleet } from '../../src/fleet/read.js';
import { noon, type Point, pointsOf } from './fake.js';

const port = fc.constantFrom('', ':', ':80', ':8000', ':65535');
const local = fc.oneof(
  fc.ipV4(),
  fc.ipV6().map((ip) => `[${ip}]`),
  fc.constantFrom('localhost', 'LOCALHOST', 'localhost.', 'fleet.localhost'),
);
const own = ['Fleet.example.org'];
/** The forms of a target: a path, and an address that names the host again. */
const forms = (host: string) => [
  '/',
  `http://${host}/`,
  `HTTP://${host}`,
  `https://${host}?x`,
  `ws://${host}/#y`,
];

test('a foreign name is refused, an address and a local name are not', () => {
  fc.assert(
    fc.property(fc.domain(), port, local, port, (foreign, number, host, other) => {
      const name = `${foreign}${number}`;
      for (const target of forms(name)) {
        expect(isAllowedRequest(target, name, own)).toBe(false);
        expect(isAllowedRequest(target, name.toUpperCase(), [foreign])).toBe(true);
        expect(isAllowedRequest(target, `${host}${other}`, own)).toBe(target === '/');
      }
      for (const wrong of [
        `localhost.${name}`,
        `user@${name}`,
        `localhost@${name}`,
        `${name}@localhost`,
        `[${foreign}]`,
      ])
        expect(isAllowedRequest('/', wrong, own)).toBe(false);
      for (const target of forms(`${host}${other}`)) {
        expect(isAllowedRequest(target, `${host}${other}`, own)).toBe(true);
        expect(isAllowedRequest(target, undefined, own)).toBe(true);
        expect(isAllowedRequest(target, name, own)).toBe(false);
      }
    }),
  );
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
