import { afterEach, expect, it, vi } from 'vitest';
import { createHandler } from 'lifesign';
import { readFeature } from '../../../src/core/options/feature-options.js';
import { features } from '../../../src/core/options/features.js';
import { SettingsHealth } from '../../../src/profiles/settings/settings-health.js';

const readProbes = (given: unknown, label?: string, texts?: boolean) =>
  readFeature(features.probes, given, label, texts);

afterEach(() => vi.unstubAllEnvs());

const defaults = {
  live: ['/livez'],
  ready: ['/readyz'],
  started: ['/startupz'],
  startWhen: 'listening',
  failureThreshold: 1,
  successThreshold: 1,
  restartAfter: undefined,
  secondOpinionEvery: 10_000,
  probeEvery: 1000,
  peers: [],
};

it('are off by default, and by false', () => {
  expect(readProbes(undefined)).toBeUndefined();
  vi.stubEnv('HEALTH_PROBES', 'true');
  expect(readProbes(false)).toBeUndefined();
});

it('are on by true, by an object, by their variable and by a path', () => {
  expect(readProbes(true)).toEqual(defaults);
  expect(readProbes({})).toEqual(defaults);
  vi.stubEnv('HEALTH_PROBES', '1');
  expect(readProbes(undefined)).toEqual(defaults);
  vi.unstubAllEnvs();
  vi.stubEnv('HEALTH_PROBES_READY', '/readyz, /health/ready');
  expect(readProbes(undefined)).toEqual({ ...defaults, ready: ['/readyz', '/health/ready'] });
  vi.stubEnv('HEALTH_PROBES', 'false');
  expect(readProbes(undefined)).toBeUndefined();
});

it('what is given wins over the variables, and each has one', () => {
  const variables = {
    LIVE: '/l',
    READY: '/r',
    STARTED: '/s',
    START_WHEN: 'checks',
    FAILURE_THRESHOLD: '2',
    SUCCESS_THRESHOLD: '3',
    RESTART_AFTER: '60000',
    SECOND_OPINION_EVERY: '5000',
    PEERS: 'shop-headless:8000, [::1]:8001',
    PROBE_EVERY: '500',
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(`HEALTH_PROBES_${name}`, value);
  expect(readProbes({ live: ['/a', '/b'], failureThreshold: 5 })).toEqual({
    live: ['/a', '/b'],
    ready: ['/r'],
    started: ['/s'],
    startWhen: 'checks',
    failureThreshold: 5,
    successThreshold: 3,
    restartAfter: 60_000,
    secondOpinionEvery: 5000,
    probeEvery: 500,
    peers: ['shop-headless:8000', '[::1]:8001'],
  });
});

it.each<[unknown, string]>([
  [{ live: 'livez' }, 'Option probes.live is "livez"; it must be a path such as "/livez"'],
  [{ live: '/livez/' }, 'Option probes.live is "/livez/"'],
  [{ ready: '/__heartbeat__' }, 'Option probes.ready is "/__heartbeat__"'],
  [{ ready: ['/r', 5] }, 'Option probes.ready is an array'],
  [{ ready: '/livez' }, 'Option probes.ready is "/livez"; it must be different from the path of probes.live'],
  [{ started: ['/s', '/s'] }, 'Option probes.started is "/s"; it must be listed only once'],
  [{ startWhen: 'later' }, "it must be 'listening', 'called' or 'checks'"],
  [{ failureThreshold: 0 }, 'Option probes.failureThreshold is 0'],
  [{ restartAfter: -1 }, 'Option probes.restartAfter is -1'],
  [{ restartAfter: true }, 'Option probes.restartAfter is true'],
  [{ probeEvery: 0 }, 'Option probes.probeEvery is 0'],
  [
    { peers: 'shop' },
    'Option probes.peers is "shop"; it must be a name and a port such as "shop-headless:8000"',
  ],
  [{ peers: ['shop:99999'] }, 'Option probes.peers'],
  [{ path: '/' }, 'Unknown option "path" of probes'],
  ['/livez', 'Option probes is "/livez"; it must be true, false or an object such as { live: "/livez" }'],
  [null, 'Option probes is null'],
  [[], 'Option probes is an array'],
])('%j is refused', (given, reason) => {
  expect(() => readProbes(given)).toThrow(reason);
});

it.each([
  [{ page: true, probes: { live: '/__health__' } }],
  [{ page: true, probes: { ready: '/__health__.json' } }],
  [{ page: { path: '/livez' }, probes: true }],
  [{ groups: { payments: ['x'] }, probes: { started: '/__heartbeat__/payments' } }],
])('a path that something else answers is refused: %j', (options) => {
  expect(() => createHandler(options)).toThrow('a path that no other feature uses');
});

it('settings of profile A have the same names', () => {
  const of = (settings: object) =>
    new SettingsHealth({ BASE_DIR: '.', HEALTH_LOGGER: false, ...settings }).options.probes;
  expect(of({})).toBeUndefined();
  expect(of({ HEALTH_PROBES: true })).toEqual(defaults);
  expect(of({ HEALTH_PROBES: 'true', HEALTH_PROBES_FAILURE_THRESHOLD: '3' })).toEqual({
    ...defaults,
    failureThreshold: 3,
  });
  expect(of({ HEALTH_PROBES_LIVE: '/health/live,/livez' })?.live).toEqual(['/health/live', '/livez']);
  expect(of({ HEALTH_PROBES: { restartAfter: 1000 }, HEALTH_PROBES_SUCCESS_THRESHOLD: 2 })).toEqual({
    ...defaults,
    restartAfter: 1000,
    successThreshold: 2,
  });
  expect(of({ HEALTH_PROBES: false, HEALTH_PROBES_LIVE: '/l' })).toBeUndefined();
  expect(() => of({ HEALTH_PROBES_LIVE: 'l' })).toThrow('Option HEALTH_PROBES.live');
});
